"""`lamplight library list|text|encoding|remove|check|rebuild`: look at and look after what is indexed."""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import DocumentUnreadable, NotFound
from core.library.encodings import AUTO
from desktop.answer_json import document_json, indexed_file_json
from desktop.assembly import Application
from desktop.commands.indexing import file_row, run_index, show_report
from desktop.error_text import reason_text
from desktop.invocation import Invocation
from desktop.terminal import shown_path


def run(invocation: Invocation) -> int:
    """Do one of the actions."""
    actions = {"list": _list, "text": _text, "encoding": _encoding, "remove": _remove, "check": _check, "rebuild": _rebuild}
    with invocation.application() as application:
        return actions[invocation.arguments.action](invocation, application)


def _list(invocation: Invocation, application: Application) -> int:
    terminal = invocation.terminal
    documents = application.library.documents()
    if terminal.as_json:
        terminal.json({"event": "library", "files": [document_json(document) for document in documents]})
        return 0
    for document in documents:
        reason = f"  {reason_text(document.reason).title}" if document.reason else ""
        chosen = " (chosen)" if document.encoding_is_chosen else ""
        encoding = f"  [{document.encoding}{chosen}]" if document.encoding else ""
        terminal.result(f"{document.state:8} {document.chunk_count:6}  {shown_path(document.path)}{encoding}{reason}")
    terminal.note(f"{len(documents)} files" if documents else "The library is empty. Add files: lamplight index PATH")
    return 0


def _text(invocation: Invocation, application: Application) -> int:
    path = _absolute(invocation.arguments.file)
    try:
        text = application.library.text(path)
    except NotFound:
        raise _without_text(application, path) or NotFound(
            f"{shown_path(path)} is no file of the library. See what is: lamplight library list", path=str(path)
        ) from None
    if invocation.terminal.as_json:
        invocation.terminal.json({"event": "text", "file": str(path), "text": text})
    else:
        invocation.terminal.raw(text)
    return 0


def _without_text(application: Application, path: Path) -> DocumentUnreadable | None:
    """Why a file of the library has no text; None for what is no file of it."""
    for document in application.library.documents():
        if document.path == path and document.reason:
            reason = reason_text(document.reason)
            return DocumentUnreadable(
                f"{shown_path(path)} has no text in the library. {reason.title} {reason.what_to_do}", code=document.reason, path=str(path)
            )
    return None


def _encoding(invocation: Invocation, application: Application) -> int:
    path = _absolute(invocation.arguments.file)
    chosen = application.library.choose_encoding(path, invocation.arguments.encoding)
    report = run_index(invocation, application, [path])
    (file,) = report.files
    if invocation.terminal.as_json:
        invocation.terminal.json({"event": "encoding", "chosen": chosen, **indexed_file_json(file)})
    else:
        invocation.terminal.result(file_row(file))
        invocation.terminal.note(
            f"Read as {file.encoding}, as you chose." if chosen != AUTO else f"Read as {file.encoding or 'nothing'}, found by itself."
        )
    return 0 if file.chunks else 1


def _remove(invocation: Invocation, application: Application) -> int:
    path = _absolute(invocation.arguments.file)
    removed = application.library.remove(path)
    if invocation.terminal.as_json:
        invocation.terminal.json({"event": "removed", "file": str(path), "files": removed})
    else:
        invocation.terminal.note(f"Removed {removed} files from the library; on the disk nothing was touched.")
    return 0


def _check(invocation: Invocation, application: Application) -> int:
    terminal = invocation.terminal
    report = application.library.check()
    counts = report.counts
    if terminal.as_json:
        terminal.json(
            {
                "event": "checked",
                "ok": report.ok,
                "documents": counts.documents,
                "ready": counts.ready,
                "words_only": counts.words_only,
                "chunks": counts.chunks,
                "vectors": counts.vectors,
                "word_rows": counts.word_rows,
                "problems": list(report.problems),
            }
        )
    else:
        terminal.result(
            f"{counts.documents} files, {counts.ready} ready, {counts.words_only} found by their words only, {counts.chunks} chunks, {counts.vectors} vectors, {counts.word_rows} word-index rows"
        )
        for problem in report.problems:
            terminal.result(f"problem: {problem}")
    if not report.ok:
        terminal.note("lamplight: The library is not whole. Make its index again from your files: lamplight library rebuild")
        return 1
    return 0


def _rebuild(invocation: Invocation, application: Application) -> int:
    kept = application.library.rebuild()
    if kept is not None:
        invocation.terminal.note(f"The old index is kept as {shown_path(kept)} until the new one holds all that it held.")
    report = run_index(invocation, application, None)
    show_report(invocation.terminal, report)
    return 0


def _absolute(named: Path) -> Path:
    return Path(os.path.abspath(os.path.expanduser(named)))
