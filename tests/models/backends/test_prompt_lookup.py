"""Drafts of what may come next: found where the text stood before, and given up when they are wrong."""

from __future__ import annotations

import pytest

from models.backends.prompt_lookup import LONGEST_DRAFT, PromptLookup

PASSAGE = list(range(100, 200))


def after(prompt: list[int], *written: int) -> PromptLookup:
    lookup = PromptLookup(prompt)
    for token in written:
        lookup.add(token)
    return lookup


def test_what_followed_the_last_four_tokens_before_is_drafted() -> None:
    assert after(PASSAGE, 1, 120, 121, 122, 123).draft(2) == [124, 125]


def test_three_tokens_are_enough_where_four_never_stood() -> None:
    assert after(PASSAGE, 1, 150, 151, 152).draft(2) == [153, 154]


def test_two_tokens_are_not_enough() -> None:
    assert after(PASSAGE, 1, 150, 151).draft(2) == []


def test_four_tokens_count_more_than_three() -> None:
    prompt = [1, 2, 3, 4, 40, 9, 8, 2, 3, 4, 50]

    assert after(prompt, 1, 2, 3, 4).draft(1) == [40]
    assert after(prompt, 7, 2, 3, 4).draft(1) == [50]


def test_the_place_that_is_nearest_to_the_end_is_followed() -> None:
    assert after([1, 2, 3, 40, 1, 2, 3, 50, 9], 1, 2, 3).draft(1) == [50]


def test_what_was_written_itself_can_be_repeated() -> None:
    assert after([5], 1, 2, 3, 4, 9, 1, 2, 3).draft(2) == [4, 9]


def test_a_run_of_one_token_is_drafted_from_its_own_beginning() -> None:
    assert after([5], 7, 7, 7, 7).draft(4) == [7]


@pytest.mark.parametrize("written", [[], [1], [500, 501, 502]])
def test_a_text_without_a_precedent_has_no_draft(written: list[int]) -> None:
    assert after(PASSAGE[:1], *written).draft(LONGEST_DRAFT) == []


@pytest.mark.parametrize("limit", [-1, 0, 1, 2])
def test_a_draft_keeps_its_limit(limit: int) -> None:
    assert len(after(PASSAGE, 120, 121, 122).draft(limit)) == max(limit, 0)


def test_the_end_of_the_text_bounds_a_draft() -> None:
    assert after([1, 2, 3], 1, 2, 3).draft(LONGEST_DRAFT) == [1, 2]
    assert len(after([1, 2, 3, 4], 1, 2, 3).draft(1)) == 1


def test_drafts_grow_while_they_are_right_and_never_over_the_longest() -> None:
    lookup = after(PASSAGE, 100, 101, 102)
    lengths = []
    for _ in range(5):
        draft = lookup.draft(100)
        lengths.append(len(draft))
        lookup.judge(len(draft), len(draft))

    assert lengths[0] < lengths[1] < lengths[2] < lengths[3] == LONGEST_DRAFT == lengths[4]


def test_a_wrong_draft_makes_the_next_one_shorter() -> None:
    lookup = after(PASSAGE, 100, 101, 102)
    lookup.judge(2, 2)
    before = len(lookup.draft(100))
    lookup.judge(before, before - 1)

    assert 0 < len(lookup.draft(100)) < before


def test_drafts_that_are_mostly_wrong_are_given_up_and_tried_again_later() -> None:
    lookup = after(PASSAGE, 100, 101, 102)
    for _ in range(20):
        if not (draft := lookup.draft(100)):
            break
        lookup.judge(len(draft), 0)
    assert lookup.draft(100) == []

    pauses = 0
    for token in PASSAGE:
        lookup.add(token)
        if lookup.draft(100):
            break
        pauses += 1

    assert 15 < pauses < len(PASSAGE) - 1


def test_drafts_that_are_half_right_go_on() -> None:
    lookup = after(PASSAGE, 100, 101, 102)
    for _ in range(30):
        draft = lookup.draft(100)
        assert draft
        lookup.judge(len(draft), (len(draft) + 1) // 2)
