"""`lamplight models list|install|verify|calibrate`: the weights that answer and search."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from core.errors import Cancelled, LamplightError
from core.qa.calibration.runner import Calibration, calibrate
from desktop.invocation import Invocation
from desktop.terminal import Terminal, shown_path
from models.calibration import find_calibration, keep_calibration
from models.catalog import CatalogModel, find_model, installed_models, load_catalog, locate_chat_model, locate_embedder
from models.factory import build_chat_model
from models.install import install, verify


def run(invocation: Invocation) -> int:
    """Do one of the four actions."""
    actions = {"list": _list, "install": _install, "verify": _verify, "calibrate": _calibrate}
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
            "calibrated": _calibrated(invocation, model, folders[model.id]) if model.id in folders else None,
            "notes": model.notes,
        }
        for model in load_catalog()
    ]
    if terminal.as_json:
        terminal.json({"event": "models", "models": rows})
        return 0
    for row in rows:
        mark = "*" if row["in_use"] else " "
        state = ("installed, not calibrated" if row["calibrated"] is False else "installed") if row["installed"] else "-"
        terminal.result(f"{mark} {row['id']:24} {row['kind']:10} {state:25} {_megabytes(int(str(row['size_bytes']))):>9}  {row['name']}")
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
        if _calibrated(invocation, model, folder) is False:
            _calibrate_installed(invocation, folder / model.file_name, model.id)
    return 0


def _calibrate(invocation: Invocation) -> int:
    """Find the thresholds of a model anew, also if there are some."""
    settings = invocation.settings.models
    if named := invocation.arguments.id:
        settings = settings.model_copy(update={"chat_model": named})
    _calibrate_file(invocation, locate_chat_model(settings, invocation.paths))
    return 0


def _calibrate_installed(invocation: Invocation, weights: Path, model_id: str) -> None:
    """Calibrate what was just installed. The model works without, so a failure is only told."""
    try:
        _calibrate_file(invocation, weights)
    except Cancelled:
        raise
    except LamplightError as error:
        invocation.terminal.clear_progress()
        invocation.terminal.note(f"lamplight: {model_id} is not calibrated: {error.message} Later: lamplight models calibrate {model_id}")


def _calibrate_file(invocation: Invocation, weights: Path) -> None:
    terminal = invocation.terminal
    with build_chat_model(invocation.settings.models, lambda: weights) as chat_model:
        progress = _Progress(terminal, f"Calibrating {chat_model.model_id}", str)
        found = calibrate(chat_model, progress, cancel=invocation.cancel)
    file = keep_calibration(found, weights, invocation.paths.models)
    terminal.clear_progress()
    invocation.log.event("model_calibrated", **{f"auc_{one.decision}": round(one.auc, 3) for one in found.measured})
    if terminal.as_json:
        terminal.json(
            {
                "event": "calibrated",
                "model": found.thresholds.model_id,
                "file": str(file),
                "decisions": [one.model_dump(mode="json") for one in found.measured],
            }
        )
    else:
        terminal.result(f"{found.thresholds.model_id} is calibrated; kept in {shown_path(file)}")
        for line in _calibration_lines(found):
            terminal.result(line)


def _calibration_lines(found: Calibration) -> list[str]:
    lines = [f"  {'decision':10} {'examples':>8} {'AUC':>5} {'right':>6} {'from':>6} {'seconds':>8}"]
    for one in found.measured:
        tips = "fixed" if one.fixed else f"{one.threshold:.2f}"
        lines.append(f"  {one.decision:10} {one.examples:8} {one.auc:5.2f} {one.accuracy:6.0%} {tips:>6} {one.seconds:8.1f}")
    if any(one.fixed for one in found.measured):
        lines.append("  fixed: this model cannot tell the answers of that decision apart, so it always takes the safe one")
    return lines


def _calibrated(invocation: Invocation, model: CatalogModel, folder: Path) -> bool | None:
    """Whether a chat model was calibrated; None for models that decide nothing."""
    if model.kind != "chat":
        return None
    return find_calibration(folder / model.file_name, invocation.paths.models) is not None


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
    """Shows how much is done, a few times a second, and as events in JSON mode."""

    def __init__(self, terminal: Terminal, what: str, shown: Callable[[int], str] | None = None) -> None:
        self._terminal = terminal
        self._what = what
        self._words = shown or _megabytes
        self._shown_at = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - self._shown_at < 0.2:
            return
        self._shown_at = now
        if self._terminal.as_json:
            self._terminal.json({"event": "progress", "done": done, "total": total})
        self._terminal.progress(f"{self._what}: {self._words(done)} of {self._words(total)}")


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.0f} MB"
