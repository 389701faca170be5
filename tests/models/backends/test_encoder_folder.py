from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import ModelMissing, ModelUnusable
from models.backends.encoder_folder import fingerprint, read_encoder_folder

MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]


def write(file: Path, value: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like a small model; its weights are only bytes."""
    model = tmp_path / "model"
    write(model / "modules.json", MODULES)
    write(model / "config.json", {"hidden_size": 8})
    write(model / "1_Pooling" / "config.json", {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True})
    write(model / "config_sentence_transformers.json", {"prompts": {"query": "query: ", "document": "passage: "}})
    write(model / "tokenizer.json", {})
    (model / "model.safetensors").write_bytes(bytes(range(256)) * 4000)
    return model


def test_a_clean_folder_says_what_it_is(folder: Path) -> None:
    found = read_encoder_folder(folder)

    assert (found.dimension, found.query_prompt, found.passage_prompt) == (8, "query: ", "passage: ")
    assert found.weights == (folder / "model.safetensors",)


def test_a_dense_layer_sets_the_dimension(folder: Path) -> None:
    write(folder / "modules.json", [*MODULES, {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}])
    write(folder / "2_Dense" / "config.json", {"out_features": 5, "activation_function": "torch.nn.modules.linear.Identity"})

    assert read_encoder_folder(folder).dimension == 5


EVIL: dict[str, tuple[Callable[[Path], object], str]] = {
    "code of its own": (lambda f: (f / "modeling_x.py").write_text("open('MARKER', 'w')", encoding="utf-8"), "modeling_x.py"),
    "code in a sub-folder": (lambda f: (f / "1_Pooling" / "x.py").write_text("", encoding="utf-8"), "x.py"),
    "a pickle": (lambda f: (f / "pytorch_model.bin").write_bytes(b"cos\nsystem\n"), "pytorch_model.bin"),
    "another pickle": (lambda f: (f / "weights.pkl").write_bytes(b""), "weights.pkl"),
    "a native library": (lambda f: (f / "kernel.so").write_bytes(b""), "kernel.so"),
    "a module of its own": (lambda f: write(f / "modules.json", [MODULES[0], {"type": "modeling_x.Evil", "path": ""}]), "modules.json"),
    "a foreign module": (lambda f: write(f / "modules.json", [MODULES[0], {"type": "os.system", "path": ""}]), "modules.json"),
    "an odd module of the library": (
        lambda f: write(f / "modules.json", [MODULES[0], {"type": "sentence_transformers.util.http_get", "path": ""}]),
        "modules.json",
    ),
    "a module outside": (lambda f: write(f / "modules.json", [MODULES[0], {**MODULES[1], "path": "../other"}]), "modules.json"),
    "remote code in the model": (lambda f: write(f / "config.json", {"hidden_size": 8, "auto_map": {"AutoModel": "x.X"}}), "config.json"),
    "remote code in the tokenizer": (lambda f: write(f / "tokenizer_config.json", {"auto_map": {}}), "tokenizer_config.json"),
    "a function by name": (
        lambda f: (
            write(f / "modules.json", [*MODULES, {"type": "sentence_transformers.models.Dense", "path": "d"}]),
            write(f / "d" / "config.json", {"out_features": 4, "activation_function": "os.system"}),
        ),
        "config.json",
    ),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "safetensors"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json"),
    "no modules": (lambda f: (f / "modules.json").unlink(), "modules.json"),
    "modules that are no list": (lambda f: write(f / "modules.json", {"a": 1}), "modules.json"),
    "broken modules": (lambda f: (f / "modules.json").write_bytes(b"\xff\xfe{"), "modules.json"),
    "deep JSON": (lambda f: (f / "config.json").write_text("[" * 100_000, encoding="utf-8"), "config.json"),
    "no dimension": (lambda f: write(f / "config.json", {}), "config.json"),
    "a thousand files": (lambda f: [(f / f"{n}.txt").touch() for n in range(1000)], "files"),
}


@pytest.mark.parametrize("kind", EVIL)
def test_an_evil_or_broken_folder_is_refused_and_the_file_is_named(folder: Path, kind: str) -> None:
    spoil, named = EVIL[kind]
    spoil(folder)

    with pytest.raises(ModelUnusable) as caught:
        read_encoder_folder(folder)

    assert named in caught.value.message
    assert "Choose another embedding model" in caught.value.message


def test_a_missing_folder_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        read_encoder_folder(tmp_path / "nothing")


def test_the_fingerprint_changes_with_weights_tokenizer_and_prompts_and_not_with_place_or_time(folder: Path, tmp_path: Path) -> None:
    first = fingerprint(read_encoder_folder(folder))
    shutil.copytree(folder, tmp_path / "copy")
    os.utime(folder / "model.safetensors", (1, 1))

    assert fingerprint(read_encoder_folder(tmp_path / "copy")) == first
    assert fingerprint(read_encoder_folder(folder)) == first

    changed = set()
    write(folder / "config_sentence_transformers.json", {"prompts": {"query": "other: "}})
    changed.add(fingerprint(read_encoder_folder(folder)))
    write(folder / "tokenizer.json", {"x": 1})
    changed.add(fingerprint(read_encoder_folder(folder)))
    (folder / "model.safetensors").write_bytes(bytes(1000))
    changed.add(fingerprint(read_encoder_folder(folder)))
    assert len(changed | {first}) == 4
