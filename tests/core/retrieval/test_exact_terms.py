from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.exact_terms import MAX_TERMS, exact_terms


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("P-02 的额定流量是多少？", ("P-02", "P02")),
        ("报警E31出现后要冷却多久？", ("E31", "E-31")),
        ("Which tag closed WO-2029-8798?", ("WO-2029-8798",)),
        ("the item that costs 1,284.50", ("1,284.50", "1284.50")),
        ("凭证 56526元", ("56526", "56,526")),
        ("按 14.3.2 条要填写哪张表单？", ("14.3.2", "v14.3.2")),
        ("What is the order code of KX-2207/B?", ("KX-2207/B",)),
        ("How many clients does version 4.1 allow?", ("4.1", "v4.1")),
        ("issue #2217 and AB-1029", ("2217", "2,217", "AB-1029", "AB1029")),
        ('Who sings "Viva la Vida" with us?', ("Viva la Vida",)),
        ("那第二句“遇腊而执”呢？", ("遇腊而执",)),
        ("badge of li.wei@tern-works.example", ("li.wei@tern-works.example",)),
        ("Where is Budget_final.v2.xlsx?", ("Budget_final.v2.xlsx",)),
        ("what does maxRetryCount do", ("maxRetryCount", "max Retry Count")),
        ("max_retry_count", ("max_retry_count", "maxretrycount")),
        ("工单ＷＯ－２０２９－８７９８，Ｅ３１", ("WO-2029-8798", "E31", "E-31")),
        ("按第3条", ("第3条", "第三条")),
        ("第二十条怎么说？", ("第二十条", "第20条")),
        ("第 101 章", ("第101章", "第一百零一章", "101")),
    ],
)
def test_codes_numbers_names_and_quotations_are_exact_in_all_their_spellings(query: str, terms: tuple[str, ...]) -> None:
    assert exact_terms(query) == terms


@pytest.mark.parametrize(
    "query",
    [
        "",
        "Who runs it?",
        "What happened in 1986?",
        "The 2nd of 12 pumps in the 1980s",
        "谁负责夜班？",
        "3 + 4",
        "e.g. the U.S.",
        "a state-of-the-art wi-fi",
        "The GmbH needs 5 kWh",
    ],
)
def test_words_years_and_small_numbers_are_not(query: str) -> None:
    assert exact_terms(query) == ()


@pytest.mark.parametrize(
    "query",
    [
        "of 27 August 2025?",
        "on August 27, 2025",
        "Aug 27 2025",
        "the 27th of August 2025",
        "2025-08-27",
        "2025/8/27",
        "2025年8月27日",
        "27.08.2025",
        "27.8.2025",
        "27/8/2025",
        "8/27/2025",
        "20250827",
    ],
)
def test_a_date_is_looked_for_in_all_its_forms(query: str) -> None:
    assert {"2025-08-27", "20250827", "2025年8月27日", "27 August 2025", "August 27 2025", "27 Aug 2025", "27.08.2025", "8.27.2025"} <= set(
        exact_terms(query)
    )


@pytest.mark.parametrize("query", ["2025-13-45", "99 May 2025", "13.13.2025", "20251345", "10.1.2.2025", "1.2.20251"])
def test_what_is_no_date_is_not_taken_for_one(query: str) -> None:
    assert not any("年" in term for term in exact_terms(query))


def test_what_may_be_either_of_two_dates_is_looked_for_as_both() -> None:
    assert {"2026年1月2日", "2026年2月1日"} <= set(exact_terms("signed 1/2/2026"))
    assert "2026年1月2日" not in exact_terms("signed 1.2.2026")


@given(st.text(max_size=300))
def test_any_text_gives_a_few_terms_without_repeats(text: str) -> None:
    terms = exact_terms(text)

    assert len(terms) == len(set(terms)) <= MAX_TERMS
    assert all(term.strip() for term in terms)
