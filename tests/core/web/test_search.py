from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, WebSearchFailed
from core.web.search import DuckDuckGoSearch, EngineReply, visible_text
from tests.fakes.search_engine import FakeSearchEngine


@pytest.fixture(autouse=True)
def only_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMPLIGHT_FORBID_NETWORK", "1")


@pytest.fixture
def engine() -> Iterator[FakeSearchEngine]:
    with FakeSearchEngine() as running:
        yield running


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class ScriptedEngine:
    """Answers in the order given; the last answer repeats."""

    replies: list[EngineReply]
    clock: Clock = field(default_factory=Clock)
    asked: list[str] = field(default_factory=list)

    def __call__(self, query: str, max_results: int) -> EngineReply:
        self.asked.append(query)
        self.clock.now += 3  # the pause between calls is over by the next one
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def search(self) -> DuckDuckGoSearch:
        return DuckDuckGoSearch(engine_url="http://127.0.0.1:1/", ask=self, clock=self.clock)


def found(*items: tuple[str, str]) -> EngineReply:
    return EngineReply(200, "", "", tuple({"title": title, "href": url, "body": "text"} for title, url in items))


def code_of(search: DuckDuckGoSearch, cancel: CancelToken) -> str:
    with pytest.raises(WebSearchFailed) as caught:
        search.search("lighthouse", max_results=5, cancel=cancel)
    return caught.value.code


def test_results_come_from_the_engine_with_title_address_and_snippet(engine: FakeSearchEngine, cancel: CancelToken) -> None:
    results = DuckDuckGoSearch(engine_url=engine.url).search("who built the lighthouse", max_results=5, cancel=cancel)

    assert [result.domain for result in results] == ["harbour.example.org", "travel.example.com"]
    assert results[0].title == "The lighthouse of Port Ellery"
    assert results[0].url == "https://harbour.example.org/lighthouse"
    assert "1874" in results[0].snippet


def test_one_search_is_one_request_and_carries_the_query_and_nothing_of_ours(engine: FakeSearchEngine, cancel: CancelToken) -> None:
    DuckDuckGoSearch(engine_url=engine.url).search("who built the lighthouse 灯塔", max_results=5, cancel=cancel)

    assert [hit.query for hit in engine.hits] == ["who built the lighthouse 灯塔"]
    assert engine.hits[0].body.count("=") == len(engine.hits[0].body.split("&")) == 3  # q, b and the region


def test_nothing_found_is_an_empty_list(cancel: CancelToken) -> None:
    with FakeSearchEngine("empty") as engine:
        assert DuckDuckGoSearch(engine_url=engine.url).search("lighthouse", max_results=5, cancel=cancel) == []


@pytest.mark.parametrize(
    ("mode", "code"), [("limited", "web_limited"), ("garbage", "web_failed"), ("portal", "web_failed"), ("broken", "web_failed")]
)
def test_every_misbehaviour_has_its_code(mode: str, code: str, cancel: CancelToken) -> None:
    with FakeSearchEngine(mode) as engine:  # type: ignore[arg-type]
        assert code_of(DuckDuckGoSearch(engine_url=engine.url), cancel) == code


@pytest.mark.parametrize(
    "url", ["ftp://x.example", "file:///etc/passwd", "x", "http://", "http://[::1", "http://a:b", "http://a:99999", "\0", "//a"]
)
def test_what_is_no_web_address_is_never_asked(url: str, cancel: CancelToken, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAMPLIGHT_FORBID_NETWORK")
    asked: list[str] = []

    def ask(query: str, max_results: int) -> EngineReply:
        asked.append(query)
        return EngineReply(200, "", "")

    assert code_of(DuckDuckGoSearch(engine_url=url, ask=ask), cancel) == "web_failed"
    assert asked == []


def test_an_engine_that_is_down_is_offline(cancel: CancelToken) -> None:
    with FakeSearchEngine() as engine:
        url = engine.url

    assert code_of(DuckDuckGoSearch(engine_url=url), cancel) == "web_offline"


def test_a_slow_engine_is_left_behind_at_the_deadline(cancel: CancelToken, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.web.search.DEADLINE_SECONDS", 0.3)
    with FakeSearchEngine("slow") as engine:
        assert code_of(DuckDuckGoSearch(engine_url=engine.url), cancel) == "web_timed_out"
        assert engine.asked.wait(5)


def test_cancel_ends_a_running_search_at_once(cancel: CancelToken) -> None:
    with FakeSearchEngine("slow") as engine:
        stopper = threading.Thread(target=lambda: (engine.asked.wait(10), cancel.cancel()))
        stopper.start()

        with pytest.raises(Cancelled):
            DuckDuckGoSearch(engine_url=engine.url).search("lighthouse", max_results=5, cancel=cancel)

        assert engine.asked.is_set()
        stopper.join()


def test_a_second_search_waits_its_two_seconds_but_not_past_cancel(engine: FakeSearchEngine, cancel: CancelToken) -> None:
    clock = Clock()
    search = DuckDuckGoSearch(engine_url=engine.url, clock=clock)
    search.search("first", max_results=5, cancel=cancel)

    cancel.cancel()
    with pytest.raises(Cancelled):
        search.search("second", max_results=5, cancel=cancel)

    assert [hit.query for hit in engine.hits] == ["first"]


def test_after_three_failures_the_engine_is_left_alone_for_five_minutes(cancel: CancelToken) -> None:
    engine = ScriptedEngine([EngineReply(202, "", "")] * 3 + [found(("A", "https://a.example/"))])
    search = engine.search()

    assert [code_of(search, cancel) for _ in range(4)] == ["web_limited"] * 4
    assert len(engine.asked) == 3

    engine.clock.now += 301
    assert len(search.search("lighthouse", max_results=5, cancel=cancel)) == 1


def test_a_success_forgets_earlier_failures(cancel: CancelToken) -> None:
    bad, good = EngineReply(500, "", ""), found(("A", "https://a.example/"))
    engine = ScriptedEngine([bad, bad, good, bad, bad, good])
    search = engine.search()

    code_of(search, cancel), code_of(search, cancel)
    search.search("lighthouse", max_results=5, cancel=cancel)
    code_of(search, cancel), code_of(search, cancel)

    assert len(search.search("lighthouse", max_results=5, cancel=cancel)) == 1


def test_being_offline_does_not_count_towards_the_rest(cancel: CancelToken) -> None:
    engine = ScriptedEngine([EngineReply(None, "", "ConnectError")] * 5 + [found(("A", "https://a.example/"))])
    search = engine.search()

    assert [code_of(search, cancel) for _ in range(5)] == ["web_offline"] * 5
    assert len(search.search("lighthouse", max_results=5, cancel=cancel)) == 1


def test_junk_advertisements_and_second_pages_of_a_site_are_dropped(cancel: CancelToken) -> None:
    engine = ScriptedEngine(
        [
            found(
                ("Ad", "https://duckduckgo.com/y.js?ad=1"),
                ("No address", ""),
                ("Script", "javascript:alert(1)"),
                ("File", "file:///etc/passwd"),
                ("", "https://untitled.example/"),
                ("Local", "http://localhost/admin"),
                ("Broken", "http://[::1"),
                ("Good", "https://www.good.example/a"),
                ("Good again", "https://good.example/b"),
            )
        ]
    )

    results = engine.search().search("lighthouse", max_results=5, cancel=cancel)

    assert [(result.title, result.domain) for result in results] == [("Good", "good.example")]


def test_hidden_and_direction_changing_characters_are_taken_out() -> None:
    assert visible_text("a\u202eb\u200bc\x1b[31m\nd\u2066 灯塔") == "abc [31m d 灯塔"


def test_no_more_results_than_asked_for(cancel: CancelToken) -> None:
    engine = ScriptedEngine([found(*((f"T{n}", f"https://s{n}.example/") for n in range(9)))])

    assert len(engine.search().search("lighthouse", max_results=4, cancel=cancel)) == 4


def test_the_real_engine_is_not_asked_where_the_network_is_forbidden(cancel: CancelToken) -> None:
    assert code_of(DuckDuckGoSearch(), cancel) == "web_offline"
    assert code_of(DuckDuckGoSearch(engine_url="http://192.0.2.1/html/"), cancel) == "web_offline"


def test_an_engine_address_that_is_no_web_address_is_refused(cancel: CancelToken) -> None:
    assert code_of(DuckDuckGoSearch(engine_url="file:///etc/passwd"), cancel) == "web_failed"
