"""`lamplight models list|install|verify`: the weights that answer and search."""

from __future__ import annotations

import time
from pathlib import Path

from core.errors import LamplightError
from desktop.invocation import Invocation
from desktop.terminal import Terminal, shown_path
from models.catalog import CatalogModel, find_model, installed_models, load_catalog, locate_chat_model, locate_embedder
from models.install import install, verify


def run(invocation: Invocation) -> int:
    """Do one of the three actions."""
    actions = {"list": _list, "install": _install, "verify": _verify}
    return actions[invocation.arguments.action](invocation)


def _list(invocation: Invocation) -> int:
    terminal = invocation.terminal
    folders = {found.model.id: found.folder for found in installed_models(invocation.paths)}
    used = _in_use(invocation)
    rows = [
        {
            "id": model.id,
            "kind": model.kind,
            "name": model.name,
            "licence": model.licence,
            "languages": list(model.languages),
            "size_bytes": model.size_bytes,
            "installed": model.id in folders,
            "in_use": model.id in folders and bool({folders[model.id], folders[model.id] / model.file_name} & used),
            "folder": str(folders[model.id]) if model.id in folders else None,
            "notes": model.notes,
        }
        for model in load_catalog()
    ]
    if terminal.as_json:
        terminal.json({"event": "models", "models": rows})
        return 0
    for row in rows:
        mark = "*" if row["in_use"] else " "
        state = "installed" if row["installed"] else "-"
        terminal.result(f"{mark} {row['id']:24} {row['kind']:10} {state:10} {_megabytes(int(str(row['size_bytes']))):>9}  {row['name']}")
    return 0


def _install(invocation: Invocation) -> int:
    terminal = invocation.terminal
    named = invocation.arguments.id
    for model in [find_model(named)] if named else _defaults():
        folder = install(model.id, invocation.paths.models, _Progress(terminal, f"Installing {model.id}"), cancel=invocation.cancel)
        terminal.clear_progress()
        invocation.log.event("model_installed", bytes=model.size_bytes)
        if terminal.as_json:
            terminal.json({"event": "installed", "model": model.id, "folder": str(folder)})
        else:
            terminal.result(f"{model.id} is installed in {shown_path(folder)}")
    return 0


def _verify(invocation: Invocation) -> int:
    terminal = invocation.terminal
    good = True
    installed = installed_models(invocation.paths)
    for found in installed:
        problem = ""
        try:
            verify(found.model, found.folder, _Progress(terminal, f"Reading {found.model.id}"), cancel=invocation.cancel)
        except LamplightError as error:
            if error.code == "cancelled":
                raise
            problem, good = error.message, False
        terminal.clear_progress()
        if terminal.as_json:
            terminal.json({"event": "verified", "model": found.model.id, "ok": not problem, "problem": problem})
        else:
            terminal.result(f"{found.model.id:24} {problem or 'as it should be'}")
    if not installed:
        terminal.note("lamplight: No model is installed. Install the default ones: lamplight models install")
        return 1
    return 0 if good else 1


def _defaults() -> list[CatalogModel]:
    """The first model of each kind: the catalogue is in order of preference."""
    first: dict[str, CatalogModel] = {}
    for model in load_catalog():
        first.setdefault(model.kind, model)
    return list(first.values())


def _in_use(invocation: Invocation) -> set[Path]:
    """The file or folder that each setting means now."""
    used = set()
    for locate in (locate_chat_model, locate_embedder):
        try:
            used.add(locate(invocation.settings.models, invocation.paths))
        except LamplightError:
            continue
    return used


class _Progress:
    """Shows how many megabytes are done, a few times a second, and as events in JSON mode."""

    def __init__(self, terminal: Terminal, what: str) -> None:
        self._terminal = terminal
        self._what = what
        self._shown_at = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - self._shown_at < 0.2:
            return
        self._shown_at = now
        if self._terminal.as_json:
            self._terminal.json({"event": "progress", "done": done, "total": total})
        self._terminal.progress(f"{self._what}: {_megabytes(done)} of {_megabytes(total)}")


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.0f} MB"
