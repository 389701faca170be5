"""What becomes of files that break readers: each beside what its manifest says must happen to it.

    python -m tests.quality.messy FOLDER [--home HOME] [--weights]

FOLDER has `manifest.jsonl` and the files it names; they are linked as `FOLDER/docs` and indexed by the library as it is, with vectors made of hashes
unless `--weights` is given. A line of the manifest has `file`, `kind`, `expect` (see `EXPECTED`), and sometimes `probe`, words that must be
in the text, and `expected_encoding`. Some of its lines say what we think is not right; they are in `DOUBTED` with the reason, and
counted apart, never as right.

    as expected   the file's state and reason are what the manifest says, its probe is in the text, and its encoding is right
    encoding      the bytes decoded by ours and by the manifest's encoding are the same text (its files of 200 characters and more)
    hangs         the reader was stopped for time, or one file took more than `HANG_SECONDS` of this process's time on the processor
    crashes       the reader's process ended
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from core.cancel import CancelToken
from core.documents import DocumentState
from core.events import FileFinished
from core.library.decoding import clean
from core.paths import Paths
from core.settings import Settings
from desktop.assembly import Application, assemble

HANG_SECONDS = 60.0
LONG_CHARACTERS = 200
"""Shorter files may not say enough to tell their encoding."""

EXPECTED: Mapping[str, frozenset[str]] = {
    "text": frozenset({"ready"}),
    "text_lossy": frozenset({"ready"}),
    "empty": frozenset({"empty", "no_text"}),
    "binary": frozenset({"binary"}),
    "no_text_layer": frozenset({"no_text_layer"}),
    "needs_password": frozenset({"needs_password"}),
    "error_or_text": frozenset({"ready", "damaged", "binary"}),
    "empty_or_unknown": frozenset({"ready", "empty", "no_text"}),
    "unknown": frozenset({"ready", "binary"}),
}
"""What the manifest calls it, and the states or reasons that are meant by it."""

DOUBTED: Mapping[str, str] = {
    "docs/synthetic/names/.hidden_note.txt": "hidden files are left out of a folder, on purpose; one named by itself is read",
    "docs/eml/unst_eml_empty.eml": "13 bytes of white space: there is no text to find",
    "docs/eml/unst_eml_fake-encrypted.eml": "the message is encrypted, and that is what a person has to know",
    "docs/html/unst_ideas-page.html": "the probe stands inside a script, which no reader of the page sees",
    "docs/docx/pandoc_docx_pageref.docx": "the probe is a field's instruction, which no reader of the document sees",
    "docs/pdf/ocrmypdf_type3_font_nomapping.pdf": "its text layer is two control characters: the font says nothing about letters",
}
"""Files for which we think the manifest wrong, and why."""

# The same encoding for a person: the second is the first with the additions of the program that nearly everybody wrote it with.
_AS_WRITTEN = {"shift_jis": "cp932", "shift-jis": "cp932"}
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line of the manifest."""

    file: str
    kind: str
    expect: str
    probe: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file. `same_text` is None where no encoding can be compared."""

    state: DocumentState | None
    reason: str = ""
    text: str = ""
    encoding: str = ""
    same_text: bool | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class Group:
    """The files of one kind: how many are as expected, and the others with what is wrong."""

    files: int = 0
    right: int = 0
    encodings: int = 0
    right_encodings: int = 0
    hangs: int = 0
    crashes: int = 0


def expectations(manifest: Path) -> list[Expectation]:
    """The lines of a manifest."""
    found = []
    for line in manifest.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.append(Expectation(row["file"], row["kind"], row["expect"], row.get("probe") or "", row.get("expected_encoding") or ""))
    return found


def deviation(expected: Expectation, outcome: Outcome) -> str:
    """What is not as the manifest says; empty if all is."""
    if outcome.state is None:
        return "not listed"
    came = "ready" if outcome.state == "ready" else outcome.reason
    if came not in EXPECTED[expected.expect]:
        return f"{came or outcome.state}, not {expected.expect}"
    if outcome.state == "ready" and plain(expected.probe) not in plain(outcome.text):
        return f"without {expected.probe!r}"
    if outcome.same_text is False:
        return f"read as {outcome.encoding}, not {expected.encoding}"
    return ""


def plain(text: str) -> str:
    """Text as a search sees it: without spaces, joined letters and characters that nobody can see, and without hyphens at the ends of lines."""
    return "".join(unicodedata.normalize("NFKC", text).translate(_UNSEEN).split()).rstrip("-")


def same_text(data: bytes, ours: str, wanted: str) -> bool | None:
    """Whether both encodings read the same text in `data`; None if Python does not know one of them."""
    try:
        texts = [clean(data.decode(_AS_WRITTEN.get(name.lower(), name), "replace")) for name in (ours, wanted)]
    except LookupError:
        return None
    return texts[0] == texts[1]


def compared(expected: Iterable[Expectation], outcomes: Mapping[str, Outcome]) -> tuple[dict[str, Group], list[tuple[str, str]]]:
    """The groups by kind, and every deviation with its file."""
    groups: dict[str, Group] = {}
    deviations = []
    for item in expected:
        outcome = outcomes.get(item.file, Outcome(None))
        group = groups.setdefault(item.kind, Group())
        wrong = deviation(item, outcome)
        group.files += 1
        group.right += not wrong
        group.hangs += outcome.reason == "timed_out" or outcome.seconds > HANG_SECONDS
        group.crashes += outcome.reason in ("reader_crashed", "reader_unavailable")
        if outcome.same_text is not None and len(outcome.text) >= LONG_CHARACTERS:
            group.encodings += 1
            group.right_encodings += outcome.same_text
        if wrong:
            deviations.append((item.file, wrong))
    return groups, deviations


def table(groups: Mapping[str, Group], deviations: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The result as Markdown."""
    yield "| kind | as expected | of | encodings right | of | hangs | crashes |"
    yield "|---|---|---|---|---|---|---|"
    whole = Group()
    for _, group in sorted(groups.items()):
        for field in fields(Group):
            setattr(whole, field.name, getattr(whole, field.name) + getattr(group, field.name))
    for kind, group in [*sorted(groups.items()), ("all", whole)]:
        yield f"| {kind} | {group.right} | {group.files} | {group.right_encodings} | {group.encodings} | {group.hangs} | {group.crashes} |"
    doubted = [file for file, _ in deviations if file in DOUBTED]
    undoubted = whole.files - len(doubted)
    yield ""
    yield f"As expected: {_share(whole.right, whole.files)}; without {len(doubted)} lines of the manifest that we doubt: {_share(whole.right, undoubted)}"
    for file, wrong in deviations:
        yield f"- {file}: {wrong}{f' ({DOUBTED[file]})' if file in DOUBTED else ''}"


def _share(right: int, of: int) -> str:
    return f"{right} of {of} ({100 * right / of:.1f} %)" if of else "nothing"


def run(application: Application, folder: Path, expected: Sequence[Expectation]) -> dict[str, Outcome]:
    """Index `folder/docs` and look what became of each file."""
    library = application.library
    library.add([folder / "docs"])
    seconds: dict[Path, float] = {}
    began = time.process_time()
    for event in library.index(CancelToken()):
        if isinstance(event, FileFinished):
            seconds[event.file.path] = time.process_time() - began
        began = time.process_time()
    documents = {document.path: document for document in library.documents()}
    outcomes = {}
    for item in expected:
        path = folder / item.file
        document = documents.get(path)
        if document is None:
            continue
        is_ready = document.state == "ready"
        comparable = is_ready and document.encoding and item.encoding
        outcomes[item.file] = Outcome(
            document.state,
            document.reason,
            library.text(path) if is_ready else "",
            document.encoding,
            same_text(path.read_bytes(), document.encoding, item.encoding) if comparable else None,
            seconds.get(path, 0.0),
        )
    return outcomes


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.quality.messy")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--home", type=Path, help="a new home; otherwise one that is deleted afterwards")
    parser.add_argument("--weights", action="store_true", help="with the embedding model of the settings")
    options = parser.parse_args(arguments)
    folder = options.folder.absolute()
    expected = expectations(folder / "manifest.jsonl")
    with tempfile.TemporaryDirectory() as temporary:
        application = assemble(Paths((options.home or Path(temporary) / "home").absolute()), Settings(), use_echo=not options.weights)
        try:
            outcomes = run(application, folder, expected)
        finally:
            application.close()
    for line in table(*compared(expected, outcomes)):
        sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
