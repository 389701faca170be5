"""Looks at a sentence-transformers folder before anything in it is loaded: data only, no code, and what it says about itself."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ModelMissing, ModelUnusable

_SUFFIXES = frozenset({".safetensors", ".json", ".txt", ".model", ".md", ".onnx", ".png", ".jpg"})
_NAMES = frozenset({".gitattributes", ".gitignore", "LICENSE", "NOTICE"})
_MODULE = re.compile(
    r"sentence_transformers\.(models|base\.modules|sentence_transformer\.modules)(\.[a-z_]+)?\.(Transformer|Pooling|Normalize|Dense|LayerNorm|Dropout)"
)
_MAX_JSON_BYTES = 64 * 1024 * 1024
_MAX_FILES = 500
_SAMPLES = 64
_SAMPLE_BYTES = 64 * 1024

WHAT_TO_DO = "Choose another embedding model, or install it again."


@dataclass(frozen=True, slots=True)
class EncoderFolder:
    """A folder that may be loaded. The prompts are put in front of what is embedded, in small letters if the model knows no others (`lower_case`)."""

    folder: Path
    dimension: int
    query_prompt: str
    passage_prompt: str
    weights: tuple[Path, ...]
    lower_case: bool = False


def read_encoder_folder(folder: Path) -> EncoderFolder:
    """Check a folder and read what it says. Raises `ModelMissing` or `ModelUnusable`, naming the file that is wrong."""
    if not folder.is_dir():
        raise ModelMissing(f"The embedding model's folder {folder} is not there. {WHAT_TO_DO}", path=str(folder))
    files = _files(folder)
    for file in files:
        if file.suffix.lower() not in _SUFFIXES and file.name not in _NAMES:
            raise _unusable(file, "a model folder may hold data only, and this is none of the kinds that are safe to load")
    for file in files:
        if file.name in ("config.json", "tokenizer_config.json") and "auto_map" in _object(file):
            raise _unusable(file, "it asks to run code of its own")
    weights = tuple(sorted(file for file in files if file.suffix.lower() == ".safetensors"))
    if not weights:
        raise _unusable(folder, "it has no .safetensors file")
    if not (folder / "tokenizer.json").is_file():
        raise _unusable(folder / "tokenizer.json", "it is not there")
    modules = _modules(folder)
    query, passage = _prompts(folder)
    return EncoderFolder(folder, _dimension(folder, modules), query, passage, weights, _lower_case(folder))


def fingerprint(folder: EncoderFolder) -> str:
    """Eight hexadecimal digits that change with the weights, the tokenizer or the prompts.

    Of large files the head, the size and 64 places are read, so that half a gigabyte takes milliseconds.
    """
    digest = hashlib.sha256(json.dumps([folder.query_prompt, folder.passage_prompt]).encode("utf-8"))
    for file in (folder.folder / "modules.json", folder.folder / "tokenizer.json", *folder.weights):
        size = file.stat().st_size
        digest.update(f"{file.relative_to(folder.folder).as_posix()}:{size}\n".encode())
        with file.open("rb") as stream:
            for sample in range(_SAMPLES):
                stream.seek(max(0, size - _SAMPLE_BYTES) * sample // max(_SAMPLES - 1, 1))
                digest.update(stream.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:8]


def _files(folder: Path) -> list[Path]:
    files: list[Path] = []
    for parent, folders, names in os.walk(folder):
        # Caches of download tools beside the model are never read by what loads it.
        folders[:] = [name for name in folders if name != ".cache"]
        files += [Path(parent) / name for name in names]
        if len(files) > _MAX_FILES:
            raise _unusable(folder, f"it holds more than {_MAX_FILES} files, so it is not one model's folder")
    return files


def _modules(folder: Path) -> list[tuple[str, Path]]:
    """Kind and folder of every module, in order."""
    file = folder / "modules.json"
    entries = _json(file)
    modules: list[tuple[str, Path]] = []
    for entry in entries if isinstance(entries, list) else []:
        match entry:
            case {"type": str(kind), "path": str(path)}:
                if not _MODULE.fullmatch(kind):
                    raise _unusable(file, f"it names the module {kind[:120]}, which is not one of sentence-transformers' own")
                place = (folder / path).resolve()
                if not place.is_relative_to(folder.resolve()):
                    raise _unusable(file, f"the module {path[:120]} lies outside the folder")
                modules.append((kind.rpartition(".")[2], place))
            case _:
                raise _unusable(file, "an entry has no type or path")
    if not modules or modules[0][0] != "Transformer":
        raise _unusable(file, "it does not begin with a Transformer")
    return modules


def _dimension(folder: Path, modules: list[tuple[str, Path]]) -> int:
    dimension = 0
    for kind, place in modules:
        if kind == "Transformer":
            config = _object(place / "config.json" if (place / "config.json").is_file() else folder / "config.json")
            dimension = next((int(config[key]) for key in ("hidden_size", "d_model", "dim") if isinstance(config.get(key), int)), 0)
        elif kind == "Pooling":
            config = _object(place / "config.json")
            modes = sum(1 for key, value in config.items() if key.startswith("pooling_mode_") and value is True)
            dimension *= max(modes, 1)
        elif kind == "Dense":
            config = _object(place / "config.json")
            activation = str(config.get("activation_function", "torch.nn."))
            if not re.fullmatch(r"torch\.nn\.[\w.]*", activation):
                raise _unusable(place / "config.json", f"it names the function {activation[:120]}, which is not one of torch's own")
            dimension = int(config.get("out_features", 0))
    if dimension <= 0:
        raise _unusable(folder / "config.json", "it does not say how long a vector is")
    return dimension


def _prompts(folder: Path) -> tuple[str, str]:
    file = folder / "config_sentence_transformers.json"
    prompts = _object(file).get("prompts") if file.is_file() else None
    if not isinstance(prompts, dict):
        return "", ""
    texts = {str(name): prompt for name, prompt in prompts.items() if isinstance(prompt, str)}
    return texts.get("query", ""), next((texts[name] for name in ("passage", "document", "corpus") if name in texts), "")


def _lower_case(folder: Path) -> bool:
    file = folder / "sentence_bert_config.json"
    return file.is_file() and _object(file).get("do_lower_case") is True


def _object(file: Path) -> dict[str, Any]:
    value = _json(file)
    if not isinstance(value, dict):
        raise _unusable(file, "it is not a JSON object")
    return value


def _json(file: Path) -> Any:
    try:
        if file.stat().st_size > _MAX_JSON_BYTES:
            raise _unusable(file, "it is too large")
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _unusable(file, "it is missing or not JSON") from error


def _unusable(file: Path, reason: str) -> ModelUnusable:
    return ModelUnusable(f"The embedding model cannot be used because of {file}: {reason}. {WHAT_TO_DO}", path=str(file), reason=reason)
