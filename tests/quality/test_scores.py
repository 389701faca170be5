from __future__ import annotations

from typing import Any

import pytest

from tests.quality.scores import (
    answerable_score,
    auc,
    citations_supporting,
    citations_true,
    contained,
    exact_match,
    f1,
    paired_difference,
    paired_ratio,
    percentile,
    recall,
    refuses_in_words,
    route_right,
    score,
    tokens,
    touched_index,
    without_marks,
)


def question(*answers: str, **more: Any) -> dict[str, Any]:
    return {"id": "q", "question": "?", "type": "single", "answers": list(answers), **more}


def step(node: str, evaluated: int = 0, reused: int = 0, generated: int = 0) -> dict[str, Any]:
    return {"node": node, "seconds": 0.1, "tokens_evaluated": evaluated, "tokens_reused": reused, "tokens_generated": generated, "note": ""}


def line(answer: str = "", **more: Any) -> dict[str, Any]:
    return {
        "id": "q",
        "answer": answer,
        "strategy": "complex",
        "refused": False,
        "citations": [],
        "documents": [],
        "evaluation": None,
        "judgement": None,
        "limits_hit": [],
        "notes": [],
        "steps": [],
        "seconds_to_first_word": 1.0,
        "seconds": 2.0,
        **more,
    }


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("The Eiffel Tower!", "eiffel tower"),
        ("4,650", "4650"),
        ("U.S. Navy", "US navy"),
        ("ＨＧ－５", "HG-5"),
        ("“燕子号”", "燕子号"),
        ("24 个月", "24个月"),
        ("Edrin Holt's", "Edrin Holt’s"),
    ],
)
def test_case_articles_punctuation_and_widths_do_not_count(said: str, right: str) -> None:
    assert exact_match(said, [right]) == 1.0


@pytest.mark.parametrize(("said", "right"), [("1.5", "15"), ("146.50", "14650"), ("何静山", "何静川"), ("4,65", "465"), ("", "x")])
def test_different_figures_and_names_stay_different(said: str, right: str) -> None:
    assert exact_match(said, [right]) == 0.0


def test_chinese_is_compared_by_character_and_figures_stay_whole() -> None:
    assert tokens("第2029年在HG-2机") == ("第", "2029", "年", "在", "hg", "2", "机")
    assert f1("庆喜班的鼓师", ["鼓师"]) == pytest.approx(2 * 2 / (6 + 2))


def test_f1_is_the_best_overlap_with_any_right_answer() -> None:
    assert f1("in the year 1066", ["1066", "the year 1067"]) == pytest.approx(2 * 1 / (3 + 1))
    assert f1("Paris", ["London"]) == 0.0
    assert f1("", ["London"]) == 0.0


def test_a_word_too_many_beside_yes_or_no_is_no_overlap() -> None:
    assert f1("no", ["no"]) == 1.0
    assert f1("no idea", ["no"]) == 0.0


def test_source_marks_are_no_part_of_an_answer() -> None:
    assert without_marks("It is 55 Nm [1], or 90 [2][3]. [1, 2]") == "It is 55 Nm, or 90."
    assert without_marks("[1]") == ""


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("It costs 4,650 marks.", "4650"),
        ("分机号是826。", "826"),
        ("It was Lisbet Aron who did", "lisbet aron"),
        ("为 24 个月。", "24个月"),
    ],
)
def test_an_answer_may_be_a_sentence(said: str, right: str) -> None:
    assert contained(said, question(right))


@pytest.mark.parametrize(
    ("said", "right"), [("18 months", "8"), ("It is 1.5", "15"), ("分机号是8260", "826"), ("Aronson", "Aron"), ("", "x")]
)
def test_a_right_answer_inside_another_word_or_figure_is_not_said(said: str, right: str) -> None:
    assert not contained(said, question(right))


@pytest.mark.parametrize(
    ("said", "right", "wanted"),
    [
        ("Yes, he did.", "Yes", True),
        ("No. There is no sign of it.", "No", True),
        ("There is no sign of it, yes.", "No", False),
        ("He said yes", "Yes", False),
        ("No, not yet", "Yes", False),
        ("是的，写过。", "是", True),
        ("不是。", "是", False),
        ("是否写过没有说明", "是", False),
        ("No", "Noah", False),
    ],
)
def test_yes_and_no_have_to_come_first(said: str, right: str, wanted: bool) -> None:
    assert contained(said, question(right)) is wanted


def test_an_answer_in_parts_needs_a_form_of_each_part() -> None:
    both = question("a；b", answer_parts=[["1月3日"], ["1月12日", "12 January"]])

    assert contained("先是1月3日，后来是1月12日", both)
    assert not contained("1月3日", both)


EVIDENCE = [
    {"places": [{"file": "set/a.md", "start": 100, "end": 120}]},
    {"places": [{"file": "set/b.md"}, {"file": "set/c.md"}]},
]


def found(file: str, start: int, end: int) -> dict[str, Any]:
    return {"file": f"/home/me/docs/{file}", "start": start, "end": end, "line": 1, "score": 1.0}


def test_a_passage_is_found_when_half_of_it_was_in_the_evidence() -> None:
    asked = question("x", evidence=EVIDENCE)

    assert recall(asked, line(documents=[found("set/a.md", 0, 110)])) == (True, False)
    assert recall(asked, line(documents=[found("set/a.md", 0, 109)])) == (False, False)
    assert recall(asked, line(documents=[found("set/a.md", 300, 400), found("set/c.md", 0, 5)])) == (False, True)


def test_a_file_of_another_set_with_the_same_name_is_not_the_passage() -> None:
    assert recall(question("x", evidence=[{"places": [{"file": "set/b.md"}]}]), line(documents=[found("otherset/b.md", 0, 5)])) == (False,)


def test_a_citation_is_true_when_its_quote_is_the_slice_it_names() -> None:
    texts = {"/a.md": "Alpha beta gamma"}
    cited = [
        {"n": 1, "file": "/a.md", "quote": "beta", "start": 6, "end": 10},
        {"n": 2, "file": "/a.md", "quote": "beta", "start": 5, "end": 9},
        {"n": 3, "file": "/gone.md", "quote": "beta", "start": 6, "end": 10},
        {"n": 4, "file": "/a.md", "quote": "", "start": 3, "end": 3},
    ]

    assert citations_true(line(citations=cited), texts.get) == (True, False, False, False)


def test_a_source_supports_when_it_touches_a_place_that_was_written_down() -> None:
    asked = question("x", evidence=EVIDENCE)
    cited = [found("set/a.md", 119, 160), found("set/a.md", 120, 160), found("set/c.md", 900, 910), found("otherset/b.md", 0, 5)]

    assert citations_supporting(asked, line(citations=cited)) == (True, False, True, False)
    assert citations_supporting(question("x"), line(citations=cited)) == ()


def test_only_sources_of_right_answers_are_asked_whether_they_support() -> None:
    asked = question("red", evidence=EVIDENCE)
    cited = [found("set/a.md", 100, 120)]

    assert score(asked, line("It is red [1].", citations=cited)).supporting == (True,)
    assert score(asked, line("It is blue [1].", citations=cited)).supporting == ()


def test_a_route_is_right_when_only_simple_questions_leave_the_files_alone() -> None:
    routed = line(steps=[step("route_question")])

    assert route_right(question("x"), routed) is True
    assert route_right(question("x", type="simple"), routed) is False
    assert route_right(question("x", type="simple"), {**routed, "strategy": "simple"}) is True
    assert route_right(question("x", type="unanswerable"), {**routed, "strategy": "simple"}) is False
    assert route_right(question("x"), line(steps=[step("retrieve")])) is None


def test_a_search_without_a_result_touched_the_index_too() -> None:
    assert touched_index(line(steps=[step("retrieve")]))
    assert touched_index(line(documents=[found("a", 0, 1)]))
    assert not touched_index(line(steps=[step("route_question"), step("direct_answer")]))


def test_an_unanswerable_question_is_right_when_it_is_refused() -> None:
    asked = question(type="unanswerable", evidence=EVIDENCE)

    refused, invented = score(asked, line("The files do not say.", refused=True)), score(asked, line("It was Tuesday."))

    assert (refused.right, invented.right) == (True, False)
    assert refused.em is refused.f1 is refused.contained is None
    assert refused.recall == ()


@pytest.mark.parametrize(
    "answer",
    [
        "The passages do not say who designed it.",
        "The provided documents don't mention a price [1].",
        "It is not stated in the manual.",
        "There is no information about the noise level.",
        "文中没有提到他的妻子。",
        "资料未说明噪音是多少分贝。",
        "根据提供的资料，无法确定是哪一天。",
    ],
)
def test_a_refusal_in_words_is_a_refusal(answer: str) -> None:
    assert refuses_in_words(answer)
    assert score(question(type="unanswerable"), line(answer)).right is True


@pytest.mark.parametrize(
    "answer",
    [
        "The press does not need oil.",
        "It was found in the attic [1].",
        "Orders below 500 marks do not have a discount.",
        "It is 55 Nm. The other values are not stated.",
        "他没有回家。",
        "不得直接上机。",
        "",
    ],
)
def test_an_answer_with_a_not_in_it_is_no_refusal(answer: str) -> None:
    assert not refuses_in_words(answer)


def test_a_refusal_says_nothing_right_even_when_its_words_do() -> None:
    measured = score(question("files"), line("The files do not say.", refused=True))

    assert (measured.right, measured.contained, measured.f1) == (False, False, 0.0)


def test_a_short_answer_is_compared_where_there_is_one_and_the_sentence_is_searched() -> None:
    measured = score(question("55 Nm"), line("The spindle nut needs 55 Nm [1].", short_answer="55 Nm"))
    without = score(question("55 Nm"), line("55 Nm [1]", short_answer=""))

    assert (measured.em, measured.f1, measured.contained) == (1.0, 1.0, True)
    assert without.em == 1.0


def test_a_failed_question_is_wrong_and_counts_as_failed() -> None:
    measured = score(question("x"), {**line("x"), "error": "model_crashed"})

    assert (measured.failed, measured.right, measured.route_right, measured.f1) == (True, False, None, 0.0)


def test_a_simple_question_without_a_stated_answer_is_neither_right_nor_wrong() -> None:
    assert score(question(type="simple"), line("Hello!")).right is None


def test_tokens_are_summed_over_the_steps() -> None:
    measured = score(question("x"), line("x", steps=[step("a", 10, 2, 3), step("retrieve", 5, 6, 7), step("retrieve_extra")]))

    assert (measured.evaluated, measured.reused, measured.generated, measured.retrievals) == (15, 8, 10, 2)


@pytest.mark.parametrize(("judged", "points", "first"), [(1, 0.9, True), (1, 0.6, False), (2, 0.9, False), (0, None, None)])
def test_the_first_pass_is_an_answer_the_judge_took_without_a_retry(judged: int, points: float | None, first: bool | None) -> None:
    judgement = None if points is None else {"relevance": 1.0, "completeness": 1.0, "faithfulness": 1.0, "score": points}

    measured = score(question("x"), line("x", judgement=judgement, steps=[step("judge_answer")] * judged))

    assert measured.first_pass is first
    assert measured.judge_score == points


def test_how_sure_a_run_was_comes_from_the_evaluation_where_it_says_so() -> None:
    assert answerable_score(line(evaluation={"enough": True, "confidence": 0.25})) == 0.25
    assert answerable_score(line(evaluation={"enough": True})) is None
    assert answerable_score(line()) is None


def test_auc_is_the_share_of_pairs_in_the_right_order() -> None:
    assert auc([0.9, 0.4], [0.4, 0.1]) == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert auc([], [0.1]) is None


def test_percentiles_lie_between_neighbours() -> None:
    assert percentile([1.0, 2.0, 4.0], 50) == 2.0
    assert percentile([1.0, 3.0], 50) == 2.0
    assert percentile([], 50) is None


def test_a_paired_difference_has_an_interval_and_the_same_one_for_the_same_seed() -> None:
    first, second = [1.0, 1.0, 0.0, 1.0] * 10, [0.0, 1.0, 0.0, 0.0] * 10

    difference, low, high = paired_difference(first, second)

    assert difference == 0.5
    assert 0.3 < low < 0.5 < high < 0.7
    assert paired_difference(first, second) == (difference, low, high)


def test_a_paired_difference_is_narrow_where_every_question_differs_alike() -> None:
    assert paired_difference([3.0, 12.0, 101.0], [2.0, 11.0, 100.0]) == (1.0, 1.0, 1.0)


def test_different_questions_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="same questions"):
        paired_difference([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="same questions"):
        paired_ratio([], [])


def test_a_ratio_is_of_the_sums_and_not_the_mean_of_ratios() -> None:
    found = paired_ratio([1.0, 10.0], [2.0, 100.0])

    assert found is not None and found[0] == pytest.approx(11 / 102)
    assert paired_ratio([1.0], [0.0]) is None
