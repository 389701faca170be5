"""Batches are small enough to stop in time, and no smaller."""

from __future__ import annotations

import pytest

from models.backends.encoder_batches import BATCH_SECONDS, BATCH_TOKENS, LARGEST_BATCH, MAX_TOKENS, BatchSizes


def test_the_first_batch_is_small_and_shows_how_fast_the_machine_is() -> None:
    sizes = BatchSizes()
    assert sizes.size(100) == 2

    sizes.learn(0.001, [100, 90])

    assert sizes.size(100) == BATCH_TOKENS // 100


@pytest.mark.parametrize("tokens", [0, 1, 40, 128, 256, MAX_TOKENS, 20_000])
def test_a_batch_holds_at_least_one_text_and_no_more_tokens_than_it_may(tokens: int) -> None:
    sizes = BatchSizes()
    sizes.learn(0.001, [200])

    size = sizes.size(tokens)

    assert 1 <= size <= LARGEST_BATCH
    assert size == 1 or size * tokens <= BATCH_TOKENS


@pytest.mark.parametrize("seconds_per_token", [0.0001, 0.001, 0.003, 0.05])
def test_a_batch_takes_no_longer_than_it_may_on_a_slow_machine(seconds_per_token: float) -> None:
    sizes = BatchSizes()
    sizes.learn(200 * seconds_per_token, [100, 100])

    for tokens in (20, 100, 250):
        size = sizes.size(tokens)
        assert size == 1 or size * tokens * seconds_per_token <= BATCH_SECONDS


def test_texts_of_a_few_words_say_nothing_about_the_speed() -> None:
    sizes = BatchSizes()

    sizes.learn(10.0, [3, 2])
    sizes.learn(10.0, [])

    assert sizes.size(100) == 2


def test_one_slow_batch_does_not_make_all_that_follow_small() -> None:
    sizes = BatchSizes()
    sizes.learn(0.04, [200, 200])
    before = sizes.size(10)

    sizes.learn(0.4, [200, 200])
    for _ in range(12):
        sizes.learn(0.04, [200, 200])

    assert sizes.size(10) == before
