from __future__ import annotations

import re
import subprocess
import sys

import pytest

from core import errors
from core.errors import ChildCrashed, LamplightError, Permanent, WebSearchFailed, from_wire
from core.library.formats.markdown import MAX_CHARACTERS
from core.library.reading import MAX_FILE_BYTES
from core.paths import PROGRAM
from desktop.error_text import (
    ACTION_LABELS,
    ERRORS,
    LIMITS,
    NOTES,
    REASONS,
    UNKNOWN,
    ErrorText,
    describe,
    limit_text,
    note_text,
    reason_text,
)

REASON_CODES = [
    "empty",
    "binary",
    "wrong_encoding",
    "embedding_failed",
    "too_large",
    "unreadable",
    "vanished",
    "not_a_file",
    "unsupported",
    "no_text",
    "no_text_layer",
    "needs_password",
    "damaged",
    "unpacks_too_large",
    "too_much_memory",
    "reader_unavailable",
    "timed_out",
    "reader_crashed",
    "other_model",
]
WEB_CODES = ["web_offline", "web_limited", "web_timed_out", "web_failed", "web_declined", "web_query_refused"]
NOTE_CODES = [
    "vectors_failed",
    "vectors_incomplete",
    "words_failed",
    "route_failed",
    "decompose_failed",
    "plan_failed",
    "evaluate_failed",
    "rewrite_failed",
    "search_failed",
    "own_knowledge_failed",
    "repetition_stopped",
    "answer_cut",
]
LIMIT_CODES = ["max_retrievals", "model_calls", "tokens", "seconds", "recursion"]


def _kinds(kind: type[LamplightError]) -> list[type[LamplightError]]:
    return [kind, *(found for child in kind.__subclasses__() for found in _kinds(child))]


def _raised(kind: type[LamplightError]) -> LamplightError:
    return from_wire(kind.__name__, "message", kind.code, {})


@pytest.mark.parametrize(
    "kind", [kind for kind in _kinds(LamplightError) if kind.__module__ == errors.__name__], ids=lambda kind: kind.__name__
)
def test_every_error_has_words(kind: type[LamplightError]) -> None:
    text = describe(_raised(kind))

    assert text is not UNKNOWN or kind.code == "error"
    assert text.title and text.what_to_do


@pytest.mark.parametrize("code", REASON_CODES)
def test_every_reason_has_words(code: str) -> None:
    assert reason_text(code) is REASONS[code]


@pytest.mark.parametrize("code", WEB_CODES)
def test_every_failure_of_the_web_has_words(code: str) -> None:
    assert describe(WebSearchFailed("message", code=code)) is ERRORS[code]


@pytest.mark.parametrize("code", NOTE_CODES)
def test_every_note_has_words(code: str) -> None:
    assert note_text(code) is NOTES[code]


@pytest.mark.parametrize("code", LIMIT_CODES)
def test_every_limit_has_words(code: str) -> None:
    assert limit_text(code) is LIMITS[code]


def _core_sources() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((PROGRAM / "core").rglob("*.py")))


def test_no_code_that_core_raises_lacks_words() -> None:
    raised = set(re.findall(r'\bcode="([a-z_]+)"', _core_sources()))

    assert "question_empty" in raised
    assert raised - ERRORS.keys() - REASONS.keys() == set()


def test_no_reason_that_a_file_can_get_lacks_words() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in sorted((PROGRAM / "core" / "library").rglob("*.py")))

    given = set(re.findall(r'(?:without_text\([^()]*|_unreadable\(path|reason=|reason =)[, ]*"([a-z_]+)"', sources))
    listed = set(re.findall(r'"([a-z_]+)"', " ".join(re.findall(r"_(?:SKIPPED|POISON) = frozenset\(([^)]*)\)", sources))))

    assert {"embedding_failed", "reader_crashed", "unreadable", "wrong_encoding"} <= given | listed
    assert (given | listed) - REASONS.keys() == set()


def test_no_note_that_a_node_writes_lacks_words() -> None:
    written = {note for notes in re.findall(r'"notes": \(([^)]*)\)', _core_sources()) for note in re.findall(r'"([a-z_]+)"', notes)}

    assert "route_failed" in written
    assert written - NOTES.keys() - ERRORS.keys() == set()


@pytest.mark.parametrize("table", [ERRORS, REASONS, NOTES, LIMITS])
def test_every_text_is_whole_sentences_and_every_action_has_a_label(table: dict[str, ErrorText]) -> None:
    for code, text in table.items():
        assert text.title.endswith("."), code
        assert text.what_to_do.endswith("."), code
        assert text.action == "" or ACTION_LABELS[text.action], code


def test_an_unknown_code_falls_back_to_the_words_of_its_class() -> None:
    assert describe(ChildCrashed("message", code="something_new")) is ERRORS["child_crashed"]


def test_a_code_nobody_knows_still_says_something() -> None:
    assert describe(Permanent("message", code="something_new")) is UNKNOWN
    assert reason_text("something_new") is UNKNOWN
    assert note_text("something_new") is UNKNOWN
    assert limit_text("something_new") is UNKNOWN


def test_a_file_that_failed_for_a_crashed_model_says_so() -> None:
    assert reason_text("child_crashed") is ERRORS["child_crashed"]


def test_the_words_need_no_qt() -> None:
    program = "import sys, desktop.error_text; print([name for name in sys.modules if name.startswith('PySide6')])"

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8", check=True)

    assert run.stdout.strip() == "[]"


def test_every_note_that_a_run_can_carry_has_words() -> None:
    sources = [path.read_text(encoding="utf-8") for folder in ("core/qa", "core/retrieval") for path in (PROGRAM / folder).rglob("*.py")]
    codes = {code for text in sources for code in re.findall(r'"([a-z_]+_(?:failed|declined|uncalibrated))"', text)}

    assert {"hop_answer_failed", "words_failed", "web_declined"} <= codes
    # What a refusal says of the web is a part of its text, not a note.
    assert [code for code in sorted(codes - {"web_failed"}) if note_text(code) is UNKNOWN] == []


def test_a_file_that_is_too_large_is_told_how_large_one_may_be() -> None:
    advice = reason_text("too_large").what_to_do

    assert f"{MAX_FILE_BYTES // 2**20} MB" in advice
    assert f"{MAX_CHARACTERS // 1_000_000} million characters" in advice
