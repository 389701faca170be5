"""Generated text is distributed as language is, and is the same for the same seed."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.quality.generated_text import Language, chinese, english, repeated


@pytest.mark.parametrize("language", [english(), chinese()], ids=["english", "chinese"])
def test_a_document_has_the_length_asked_for_and_is_the_same_for_the_same_seed(language: Language) -> None:
    one, other, another = (language.document(random.Random(seed), 20_000) for seed in (1, 1, 2))

    assert one == other != another
    assert len(one) == 20_000
    assert one.startswith("# ") and "\n\n" in one and language.full_stop in one


def test_a_few_words_stand_everywhere_and_most_are_rare() -> None:
    counts = Counter(english().document(random.Random(1), 300_000).lower().split())

    assert counts["the"] > 0.01 * counts.total()
    assert sum(count == 1 for count in counts.values()) > 0.3 * len(counts)


def test_a_large_text_is_made_of_paragraphs_out_of_a_pool() -> None:
    text = repeated(iter([f"Paragraph {number}." for number in range(10)]).__next__, random.Random(1), 5_000, pool=10)

    assert len(text) == 5_000
    assert set(text.split("\n\n")[:-1]) == {f"Paragraph {number}." for number in range(10)}
