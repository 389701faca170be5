"""Searching the web without a key: the one module of Lamplight that may open a socket.

It sends the query it is given, to one named engine, and nothing else. Everything that comes back is data from a stranger.
"""

from __future__ import annotations

import os
import re
import threading
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from core.cancel import CancelToken
from core.documents import WebResult
from core.errors import WebSearchFailed

REQUEST_SECONDS = 6
DEADLINE_SECONDS = 10.0
PAUSE_SECONDS = 2.0
FAILURES_BEFORE_REST = 3
REST_SECONDS = 300.0
TITLE_CHARACTERS = 200
SNIPPET_CHARACTERS = 600

_LIMITED = {202, 403, 418, 429}
# What the engine's page looks like when it answered and found nothing, and when it asks for proof of being human.
_NOTHING = re.compile(r"no[\s-]+results?\b|class=[\"'][^\"']*\bno-results\b", re.IGNORECASE)
_CHALLENGE = re.compile(r"anomaly-modal|anomaly\.js|challenge-form", re.IGNORECASE)
_ENGINE_DOMAINS = ("duckduckgo.com",)


@dataclass(frozen=True, slots=True)
class EngineReply:
    """What one request brought. `status` is None when no response came; `error` is the exception's class name or empty."""

    status: int | None
    page: str
    error: str
    found: tuple[dict[str, str], ...] = ()


Ask = Callable[[str, int], EngineReply]


class DuckDuckGoSearch:
    """The `WebSearch` protocol over the `ddgs` package, with deadlines, pauses and a rest after repeated failure.

    Safe to call from any thread; calls wait for each other. `engine_url` is the address of a self-hosted server that answers as
    DuckDuckGo's HTML page does. A failure to connect does not count towards the rest: it costs nobody anything, and the next
    question after the cable is back should work.
    """

    def __init__(self, *, engine_url: str = "", ask: Ask | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine_url = engine_url
        self._ask = ask or (lambda query, max_results: _ask_engine(query, max_results, engine_url))
        self._clock = clock
        self._turn = threading.Lock()
        self._last_call: float | None = None
        self._failures = 0
        self._rests_until = 0.0
        self._rest_code = "web_limited"

    def search(self, query: str, *, max_results: int, cancel: CancelToken) -> list[WebResult]:
        """Return results, best first, one per domain; an empty list when the engine found nothing.

        Raises:
            WebSearchFailed: within 10 seconds; the code is `web_offline`, `web_limited`, `web_timed_out` or `web_failed`.
            Cancelled: within a second of being asked to stop.
        """
        end = self._clock() + DEADLINE_SECONDS
        _refuse_forbidden(self._engine_url)
        self._take_turn(end, cancel)
        try:
            self._check_rest()
            self._pause(end, cancel)
            self._last_call = self._clock()
            reply = _within(end - self._clock(), lambda: self._ask(query, max_results), cancel)
            found = self._outcome(reply)
        finally:
            self._turn.release()
        return _cleaned(found, max_results)

    def _take_turn(self, end: float, cancel: CancelToken) -> None:
        while not self._turn.acquire(timeout=0.1):
            cancel.check()
            if self._clock() >= end:
                raise _failed("web_timed_out")

    def _check_rest(self) -> None:
        left = self._rests_until - self._clock()
        if left > 0:
            raise WebSearchFailed(
                "The web search failed several times and rests for a while.", code=self._rest_code, rest_seconds=round(left)
            )

    def _pause(self, end: float, cancel: CancelToken) -> None:
        if self._last_call is None:
            return
        left = min(self._last_call + PAUSE_SECONDS, end) - self._clock()
        if left > 0:
            cancel.wait(left)
        cancel.check()

    def _outcome(self, reply: EngineReply) -> tuple[dict[str, str], ...]:
        code = _code(reply)
        if code is None:
            self._failures = 0
            return reply.found
        if code != "web_offline":
            self._failures += 1
            if self._failures >= FAILURES_BEFORE_REST:
                self._failures, self._rests_until, self._rest_code = 0, self._clock() + REST_SECONDS, code
        raise _failed(code, reply.status)


def _code(reply: EngineReply) -> str | None:
    """Return why a reply is a failure, or None when it is results or an honest nothing."""
    if reply.status is None:
        if "Timeout" in reply.error:
            return "web_timed_out"
        return "web_offline" if reply.error in {"ConnectError", "DNSError"} else "web_failed"
    if reply.status in _LIMITED or _CHALLENGE.search(reply.page):
        return "web_limited"
    if reply.status != 200:
        return "web_failed"
    # A page without results must say so: the log-in page of a hotel's network is not "nothing found".
    return None if reply.found or _NOTHING.search(reply.page) else "web_failed"


_SENTENCES = {
    "web_offline": "The web could not be reached.",
    "web_limited": "The search engine refused for now: too many searches came from this address.",
    "web_timed_out": "The web search took too long.",
    "web_failed": "The search engine's answer could not be used.",
}


def _failed(code: str, status: int | None = None) -> WebSearchFailed:
    return WebSearchFailed(_SENTENCES[code], code=code, **({} if status is None else {"status": status}))


def _within(seconds: float, call: Callable[[], EngineReply], cancel: CancelToken) -> EngineReply:
    """Run `call` in a thread of its own and leave it behind when time is up: what it brings later is dropped."""
    box: list[EngineReply] = []
    done = threading.Event()

    def work() -> None:
        try:
            box.append(call())
        except Exception as error:
            box.append(EngineReply(None, "", type(error).__name__))
        finally:
            done.set()

    forget = cancel.on_cancel(done.set)
    try:
        threading.Thread(target=work, name="web search", daemon=True).start()
        done.wait(max(seconds, 0.0))
    finally:
        forget()
    cancel.check()
    return box[0] if box else EngineReply(None, "", "Timeout")


def _ask_engine(query: str, max_results: int, engine_url: str) -> EngineReply:
    """Send one query. `ddgs` tells every failure as "no results", so status, page and error are noted on the engine itself."""
    from ddgs.ddgs import DDGS

    client = DDGS(timeout=REQUEST_SECONDS)
    (engine,) = client._get_engines("text", "duckduckgo")  # kept by this client and used by the search below
    if engine_url:
        engine.search_url = engine_url
    noted = EngineReply(None, "", "")
    send = engine.http_client.request

    def request(*args: Any, **kwargs: Any) -> str | None:
        nonlocal noted
        try:
            response = send(*args, **kwargs)
        except Exception as error:
            noted = EngineReply(None, "", type(error.__cause__ or error).__name__)
            raise
        noted = EngineReply(response.status_code, response.text, "")
        return response.text if response.status_code == 200 else None

    vars(engine)["request"] = request  # on this one engine object: the package itself stays as it is
    try:
        # An engine of the app's own choice, never "auto": that would send the question to several companies.
        found = client.text(query, region="wt-wt", safesearch="moderate", backend="duckduckgo", max_results=max_results * 2)
    except Exception as error:
        return noted if noted.status is not None or noted.error else EngineReply(None, "", type(error).__name__)
    return EngineReply(noted.status, "", "", tuple(found))


def _refuse_forbidden(engine_url: str) -> None:
    """Under `LAMPLIGHT_FORBID_NETWORK` (tests, and people who want a guarantee) only an engine on this machine is asked."""
    if engine_url and not _is_web_address(engine_url):
        raise WebSearchFailed("The address of the search server is not a web address.", code="web_failed")
    if os.environ.get("LAMPLIGHT_FORBID_NETWORK") and not _is_loopback(engine_url):
        raise WebSearchFailed(_SENTENCES["web_offline"], code="web_offline")


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # Asking for the port checks it.
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_loopback(url: str) -> bool:
    try:
        return ip_address(urlsplit(url).hostname or "").is_loopback
    except ValueError:
        return False


def _cleaned(found: tuple[dict[str, str], ...], max_results: int) -> list[WebResult]:
    """Keep one result per domain, without advertisements, without what is not a web page, and without hidden characters."""
    kept: dict[str, WebResult] = {}
    for item in found:
        result = _result(item)
        if result is not None and result.domain not in kept:
            kept[result.domain] = result
    return list(kept.values())[:max_results]


def _result(item: dict[str, str]) -> WebResult | None:
    url = "".join(visible_text(str(item.get("href") or "")).split())
    title = visible_text(str(item.get("title") or ""))[:TITLE_CHARACTERS]
    try:
        parts = urlsplit(url)
        domain = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or "." not in domain or not title:
        return None
    if any(domain == own or domain.endswith(f".{own}") for own in _ENGINE_DOMAINS):
        return None
    return WebResult(title, url, domain, visible_text(str(item.get("body") or ""))[:SNIPPET_CHARACTERS])


def visible_text(text: str) -> str:
    """The text on one line, without control characters, direction overrides and other invisible ones."""
    shown = (" " if unicodedata.category(character) in {"Cc", "Zl", "Zp"} else character for character in text)
    return " ".join("".join(character for character in shown if unicodedata.category(character)[0] != "C").split())
