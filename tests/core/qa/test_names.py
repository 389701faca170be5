from __future__ import annotations

import pytest

from core.qa.names import fold, han_names, latin_names, quotations


def found(text: str) -> list[str]:
    return [text[name.start : name.end] for name in latin_names(text) if not name.begins_sentence]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The library is run by Anna Berg.", ["Anna Berg"]),
        ("In Basel the University of Basel was founded.", ["Basel", "University of Basel"]),
        ("Waylon J. Smithers Jr. appears.", ["Waylon J. Smithers Jr"]),
        ("Pump P-02 needs the MS-28 seal.", ["P-02", "MS-28"]),
        ("However, it is said to be true.", []),
        ("Paris.", ["Paris"]),
        ("He came on Monday in May.", []),
        ("Ulrich van der Meer wrote it", ["Ulrich van der Meer"]),
    ],
)
def test_names_in_latin_script(text: str, names: list[str]) -> None:
    assert sorted(found(text)) == sorted(names)


def test_titles_and_initials_need_not_be_known() -> None:
    (name,) = latin_names("it was Dr. J. Smith's")

    assert name.words == ("smith",)


def test_a_capital_letter_at_the_beginning_may_be_only_that_of_the_sentence() -> None:
    (name,) = latin_names("Payment is due.")

    assert name.begins_sentence


def test_quotations_and_titles() -> None:
    text = "He said “no way out”, see 《水浒传》."

    assert [(text[q.start : q.end], q.kind) for q in quotations(text)] == [("no way out", "quote"), ("水浒传", "name")]


def test_a_strange_piece_of_chinese_is_taken_for_a_name() -> None:
    pairs, characters = {"管理"}, set("由管理")

    names = [name.words for name in han_names("由龚玉麟管理", pairs, characters)]

    assert names == [("龚玉麟",)]


def test_everyday_words_are_no_names() -> None:
    assert list(han_names("因此需要进行说明", set(), set())) == []


def test_folding_keeps_every_character_in_its_place() -> None:
    text = "ÅNGSTRÖM İ ＡＢ１２ ß"

    assert len(fold(text)) == len(text)
    assert fold(text).startswith("angstrom")
