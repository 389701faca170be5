from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.simplified import simplified_version
from core.store.words import coverage, indexed_form, is_short, match_phrases, match_query, words_version

TEXTS = [
    "人工智能正在改变世界，学习机器学习很有用。",
    "東京は日本の首都です。",
    "데이터베이스 설정을 확인하십시오.",
    "The café gives a refund within 30 days; order ID AB-1029/7.",
    "部署文档：ＡＢＣ服务器",
    "水",
    "試用期為三個月，薪資於每月十五日發放，請假須經主管核准。",
    "后来他把头发剪短了，皇后在图书馆里喝干红。",
    "乾隆皇帝御筆",
    "気候変動と薬の研究、後藤さんの乾電池",
    "The GitHub page of P-07 names maxRetryCount, the Wi-Fi password and release v2.3.1; it costs ¥1,280.",
    "按照第3条，A4纸张每月 1280 元，5G 手机另算。",
    "ソフトウェア・テストのﾃﾞｰﾀはサーバーにあります。",
    "open_port is 3.0.1 there, P08 and email cost 2650 crowns; see report_final.docx and li.wei@tern.example",
]


@pytest.fixture(scope="module")
def index() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content = '', tokenize = 'unicode61 remove_diacritics 2')")
    for number, text in enumerate(TEXTS):
        connection.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (number, indexed_form(text)))
    yield connection
    connection.close()


def search(index: apsw.Connection, question: str) -> list[int]:
    match = match_query(question)
    return [int(row[0]) for row in index.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank", (match,))] if match else []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("学习", 0), ("学", 0), ("能", 0), ("人工智能", 0), ("人工智能有什么用？", 0), ("東京", 1), ("首都はどこですか", 1), ("데이터", 2), ("설정", 2),
        ("cafe", 3), ("CAFÉ", 3), ("What is the refund?", 3), ("AB-1029/7", 3), ("AB-1029", 3), ("部署", 4), ("abc", 4), ("服务", 4), ("ＡＢＣ", 4), ("水", 5),
        ("试用期", 6), ("发放", 6), ("经主管核准", 6), ("请假要谁核准？", 6), ("薪资什么时候发放？", 6), ("試用期", 6),
        ("頭髮", 7), ("圖書館", 7), ("後來", 7), ("乾紅", 7), ("裡", 7),
        ("P07", 10), ("P-07", 10), ("max_retry_count", 10), ("max retry count", 10), ("retry", 10), ("wifi", 10), ("2.3.1", 10), ("v2.3.1", 10), ("git hub", 10),
        ("第3条", 11), ("按照第3", 11), ("A4纸", 11), ("Ａ４紙", 11), ("1280元", 11), ("1,280元", 11), ("5G手机", 11), ("纸", 11),
        ("データ", 12), ("サーバ", 12), ("ソフトウェアテスト", 12), ("サーバーのデータ", 12),
        ("P-08", 13), ("e-mail", 13), ("2,650", 13), ("openPort", 13), ("v3.0.1", 13), ("li.wei@tern.example", 13), ("report_final.docx", 13),
        ("乾隆", 8), ("干隆", 8), ("乾", 8), ("御笔", 8), ("気候", 9), ("薬", 9), ("後藤", 9), ("乾電池", 9), ("研究", 9),
    ],
)  # fmt: skip
def test_a_query_finds_its_text(index: apsw.Connection, question: str, expected: int) -> None:
    assert search(index, question)[0] == expected


@pytest.mark.parametrize("question", ["", "   ", "？！", "\0", '"', "(", "- * ^", "🙂"])
def test_a_query_without_words_finds_nothing(index: apsw.Connection, question: str) -> None:
    assert search(index, question) == []


@pytest.mark.parametrize(
    "question",
    ['foo"bar', "a AND", "(x", "col:foo", "-foo", "it's", "*", "NEAR(a b)", "{a b}:c", "a NOT b", "^x", "x + y", "\ud800", "body: x"],
)
def test_query_syntax_is_only_text(index: apsw.Connection, question: str) -> None:
    search(index, question)


def test_an_exact_number_is_not_found_in_another_order(index: apsw.Connection) -> None:
    assert search(index, "1029-AB") == []


def test_question_words_alone_are_searched_all_the_same(index: apsw.Connection) -> None:
    assert match_query("what is the") != ""
    assert match_query("是什么") != ""


def test_a_question_of_any_length_stays_a_small_query() -> None:
    assert len(match_query("林冲和鲁智深" * 20_000)) < 2000
    assert len(match_query(" ".join(f"w{number}" for number in range(30_000)))) < 2000


@given(st.text(max_size=80))
def test_no_question_ever_raises(question: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content = '', tokenize = 'unicode61 remove_diacritics 2')")
    connection.execute(
        "INSERT INTO words (rowid, body) VALUES (1, ?)",
        (indexed_form(question).encode("utf-8", "replace").decode("utf-8").replace("\0", " "),),
    )

    match = match_query(question)

    if match:
        connection.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank", (match,)).fetchall()
    connection.close()


CJK_WORD = st.text(alphabet="人工智能学习机器東京設定データ수정데이터", min_size=1, max_size=4)


@given(CJK_WORD, st.text(alphabet="人工智能学习机器東京設定データ수정데이터，。 ab", max_size=40))
def test_short_cjk_words_are_found_wherever_they_stand_and_pairs_only_there(word: str, text: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content = '', tokenize = 'unicode61 remove_diacritics 2')")
    connection.execute("INSERT INTO words (rowid, body) VALUES (1, ?)", (indexed_form(text),))

    hit = bool(connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (match_query(word),)).fetchall())

    connection.close()
    parts = [word] if len(word) <= 2 else [word[start : start + 2] for start in range(len(word) - 1)]
    assert hit == any(part in text for part in parts)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("年假天数", "年假的天数由主管决定，年假按天数计。"), ("报销单", "报销要填单，报销的单据"), ("人工智能模型", "人工的智能，能模的模型，工智"),
        ("データベース", "データのベース、ータベ"), ("東京都", "京都は東京から"), ("サーバー", "サーバとーバー"),
    ],
)  # fmt: skip
def test_of_cjk_words_the_whole_stands_before_its_parts_and_the_parts_are_found_too(word: str, parts: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content = '', tokenize = 'unicode61 remove_diacritics 2')")
    fillers = ["甲乙丙丁", "戊己庚辛", "イロハニ", "ホヘトチ"]
    for number, text in enumerate([parts, f"第一节，{word}，第二节", *fillers]):
        connection.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (number, indexed_form(text)))

    found = connection.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank", (match_query(word),)).fetchall()

    connection.close()
    assert [row[0] for row in found] == [1, 0]


def test_the_other_forms_of_a_text_break_none_of_its_phrases(index: apsw.Connection) -> None:
    match = match_phrases(["names maxRetryCount, the Wi-Fi password and"])

    assert [int(row[0]) for row in index.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,))] == [10]


@pytest.mark.parametrize("question", ["\udcffdays", "da\ud800ys of leave", "\0days", "days\0", "\ud83d"])
def test_what_sqlite_cannot_take_is_no_part_of_a_query(index: apsw.Connection, question: str) -> None:
    match_query(question).encode()

    assert "\0" not in match_query(question)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("机器学习", [0]), ("学习机器", [0]), ("机器世界", []), ("refund within 30 days", [3]), ("30 refund", []), ("AB-1029", [3]), ("1029 AB", []),
        ("文档：ABC服务", [4]), ("文档：ABC", [4]), ("ABC文档", []), ("水", [5]), ("文档：ABC服", [4]), ("第3条", [11]), ("A4纸", [11]), ("3条A4", [11]),
    ],
)  # fmt: skip
def test_a_phrase_is_found_only_where_it_stands_word_by_word(index: apsw.Connection, phrase: str, expected: list[int]) -> None:
    match = match_phrases([phrase])

    assert [int(row[0]) for row in index.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank", (match,))] == expected


def test_any_of_several_phrases_is_enough_and_none_is_no_query(index: apsw.Connection) -> None:
    match = match_phrases(["no such thing", "refund within", "東京は", "！"])

    assert {int(row[0]) for row in index.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,))} == {1, 3}
    assert match_phrases(["！", " ", "\0"]) == ""


@given(st.lists(st.text(max_size=60), max_size=3))
def test_no_phrase_ever_raises(phrases: list[str]) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content = '')")
    if match := match_phrases(phrases):
        list(connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,)))


@pytest.mark.parametrize(("query", "short"), [("VPN?", True), ("逾期", True), ("E4304", True), ("night shift", True), ("", False), ("？", False),
    ("Who runs the night shift?", False), ("夜班由谁负责", False)])  # fmt: skip
def test_one_or_two_words_are_a_short_query(query: str, short: bool) -> None:
    assert is_short(query) is short


def test_a_quoted_phrase_is_found_in_the_other_characters(index: apsw.Connection) -> None:
    match = match_phrases(["头发剪短", "主管核准"]), match_phrases(["頭髮剪短", "主管核準"])

    found = [{int(row[0]) for row in index.execute("SELECT rowid FROM words WHERE words MATCH ?", (query,))} for query in match]

    assert found[0] == {6, 7}
    assert 7 in found[1]


def test_the_rules_of_the_index_name_the_table_of_characters() -> None:
    assert simplified_version() in words_version()


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("What is the refund?", "A REFUND within 30 days", 1.0), ("refund of the café", "the cafe is closed", 0.5), ("herring price", "a lamp", 0.0), ("", "a lamp", 0.0),
        ("年假", "每年的年假", 1.0), ("圖書館", "图书馆", 1.0), ("P-02", "pump P02", 0.5), ("灯", "港口的灯塔", 1.0), ("A4纸", "A4纸张", 0.75),
    ],
)  # fmt: skip
def test_coverage_is_the_share_of_the_questions_terms_in_a_text(question: str, text: str, share: float) -> None:
    assert coverage(question, text) == pytest.approx(share)


@given(st.text(max_size=60), st.text(max_size=60))
def test_coverage_is_a_share_of_any_text(question: str, text: str) -> None:
    assert 0.0 <= coverage(question, text) <= 1.0
