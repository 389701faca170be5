"""A search engine on 127.0.0.1 that answers as DuckDuckGo's HTML page does, counts what it is asked, and can misbehave.

    python -m tests.fakes.search_engine --port 8765 --mode ok

Point the app at it with the setting `web.engine_url`. `GET /hits` tells what was asked so far, one JSON list.
"""

from __future__ import annotations

import argparse
import json
import threading
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, get_args
from urllib.parse import parse_qs, urlsplit

Mode = Literal["ok", "empty", "limited", "slow", "garbage", "portal", "broken"]
DEFAULT_RESULTS = (
    ("The lighthouse of Port Ellery", "https://harbour.example.org/lighthouse", "The lighthouse of Port Ellery was built in 1874."),
    ("Port Ellery - travel notes", "https://travel.example.com/port-ellery", "A small harbour town with a white lighthouse."),
    ("More of the same", "https://travel.example.com/port-ellery/2", "A second page of the same site."),
)


@dataclass(frozen=True)
class Hit:
    """One request: its method, path and form fields, and the whole body as it came."""

    method: str
    path: str
    query: str
    body: str


class FakeSearchEngine:
    """A server in a `with` block. `url` is what `web.engine_url` wants, `hits` what was asked."""

    def __init__(self, mode: Mode = "ok", *, port: int = 0, results: tuple[tuple[str, str, str], ...] = DEFAULT_RESULTS) -> None:
        self.mode: Mode = mode
        self.results = results
        self.hits: list[Hit] = []
        self.asked = threading.Event()
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/html/"

    def __enter__(self) -> FakeSearchEngine:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve_forever(self) -> None:
        self._server.serve_forever()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        engine = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if urlsplit(self.path).path == "/hits":
                    self._send(200, json.dumps([hit.__dict__ for hit in engine.hits], ensure_ascii=False), "application/json")
                else:
                    self._answer(urlsplit(self.path).query)

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace"))

            def _answer(self, form: str) -> None:
                query = parse_qs(form).get("q", [""])[0]
                engine.hits.append(Hit(self.command, self.path, query, form))
                engine.asked.set()
                if engine.mode == "slow":
                    engine.released.wait(60)
                status, page = engine.page(query)
                self._send(status, page, "text/html; charset=utf-8")

            def _send(self, status: int, text: str, kind: str) -> None:
                body = text.encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    return  # whoever asked has gone

            def log_message(self, format: str, *args: object) -> None:
                return

        return Handler

    def page(self, query: str) -> tuple[int, str]:
        """Status and page for the current mode."""
        if self.mode == "limited":
            return 202, "<html><body><div class='anomaly-modal__title'>Please prove that you are human</div></body></html>"
        if self.mode == "garbage":
            return 200, "\x00\x01<<<<div class='bod" + "ab\ufffd" * 2000
        if self.mode == "portal":
            return 200, "<html><body><h1>Welcome to the hotel</h1><form action='/login'>Room number</form></body></html>"
        if self.mode == "broken":
            return 500, "<html><body>Internal error</body></html>"
        if self.mode == "empty":
            return 200, _document(query, "<div class='no-results'>No  results.</div>")
        return 200, _document(query, "".join(_result(*result) for result in self.results))


def _result(title: str, url: str, snippet: str) -> str:
    link = escape(url, quote=True)
    return (
        f"<div class='result results_links'><div class='links_main result__body'><h2 class='result__title'><a href='{link}'>{escape(title)}</a></h2>"
        f"<a class='result__snippet' href='{link}'>{escape(snippet)}</a></div></div>"
    )


def _document(query: str, results: str) -> str:
    return f"<!DOCTYPE html><html><head><title>{escape(query)}</title></head><div id='page'><div id='links'>{results}</div></div></html>"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--mode", choices=get_args(Mode), default="ok")
    chosen = parser.parse_args()
    engine = FakeSearchEngine(chosen.mode, port=chosen.port)
    print(f"web.engine_url = {engine.url}", flush=True)  # noqa: T201
    try:
        engine.serve_forever()
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
