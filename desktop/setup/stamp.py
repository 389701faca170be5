"""Which steps of set-up are done: one small file in the virtual environment, so that deleting the one deletes the other."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
STAMP = VENV / "lamplight-setup.json"

RUNTIME = "llama-cpp-python"
CHAT_MODEL = "qwen2.5-coder-1.5b"
EMBEDDER = "multilingual-e5-small"
RUN_MODELS = (CHAT_MODEL, EMBEDDER)
TEST_MODELS = (*RUN_MODELS, "smollm2-135m")


def venv_python(venv: Path = VENV) -> Path:
    """The virtual environment's Python."""
    return venv / "Scripts" / "python.exe" if sys.platform == "win32" else venv / "bin" / "python"


def site_packages(venv: Path = VENV) -> Path:
    """Where the virtual environment's packages lie."""
    if sys.platform == "win32":
        return venv / "Lib" / "site-packages"
    return next(iter(venv.glob("lib/python3*/site-packages")), venv / "lib")


def models_folder() -> Path:
    """Where the starter models lie: the same place as `core.paths.Paths.starter_models`, which costs an import more."""
    return Path(os.environ.get("LAMPLIGHT_MODELS") or ROOT / ".models")


def read_stamp(file: Path = STAMP) -> dict[str, str]:
    """The key under which each finished step was done; empty if there is none or it is damaged."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return {str(step): str(key) for step, key in content.items()}
    except (OSError, ValueError, AttributeError):
        return {}


def record(step: str, key: str, file: Path = STAMP) -> None:
    """Remember that a step is done."""
    beside = file.with_suffix(".new")
    beside.write_text(json.dumps(read_stamp(file) | {step: key}, indent=1), encoding="utf-8")
    beside.replace(file)


def wanted_keys(*, testing: bool, window: bool) -> dict[str, str]:
    """The key each step must have been done under for this start; it changes when what the step was made from changes."""
    keys = {
        "venv": os.path.realpath(venv_python()),
        "packages": _digest(ROOT / "requirements.lock"),
        "runtime": f"{pinned(RUNTIME)} {_digest(Path(__file__).with_name('llama_build.cmake'))}",
        "project": _digest(ROOT / "pyproject.toml") + str(ROOT),
        "translations": _digest(*translation_sources()),
        "models": " ".join(TEST_MODELS if testing else RUN_MODELS),
    }
    if testing:
        keys["tools"] = _digest(ROOT / "requirements-dev.lock")
    if window and sys.platform.startswith("linux"):
        keys["screen"] = keys["packages"]
    return keys


def pinned(package: str) -> str:
    """The line of requirements.lock for a package."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(f"{package}=="))


def translation_sources() -> list[Path]:
    """The translations that people edit."""
    return sorted((ROOT / "resources" / "translations").glob("*.ts"))


def is_done(step: str, wanted: Mapping[str, str], stamp: Mapping[str, str]) -> bool:
    """Whether a step needs no work: done under the same key, and what it made is still there."""
    if step == "venv":
        return stamp.get(step) == wanted[step] and venv_python().exists()
    if step == "models":
        chosen = _installed_as(stamp)
        return all(name in chosen and (models_folder() / chosen[name]).is_dir() for name in wanted[step].split())
    if step == "translations":
        return stamp.get(step) == wanted[step] and all(source.with_suffix(".qm").exists() for source in translation_sources())
    return stamp.get(step) == wanted[step]


def _installed_as(stamp: Mapping[str, str]) -> dict[str, str]:
    """Which model each wanted one became: itself, or a smaller one if its wheel is gone."""
    return dict(pair.split("=", 1) for pair in stamp.get("models", "").split() if "=" in pair)


def model_pairs(stamp: Mapping[str, str], installed: Mapping[str, str]) -> str:
    """The stamp's entry for the models: "wanted=installed ..."."""
    merged = _installed_as(stamp) | dict(installed)
    return " ".join(f"{wanted}={model}" for wanted, model in sorted(merged.items()))


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
