from __future__ import annotations

from pathlib import Path

import pytest

from desktop.preferences.setting_checks import problem_with
from desktop.preferences.setting_words import EditorKind


@pytest.mark.parametrize("kind", ["chat_model", "embedder", "address", None])
def test_an_empty_text_means_the_default_and_is_right(kind: EditorKind | None) -> None:
    assert problem_with(kind, "") == ""


@pytest.mark.parametrize("name", ["qwen2.5-coder-1.5b", "multilingual-e5-small", "smollm2_135m"])
def test_a_catalogue_name_is_taken_as_it_is(name: str) -> None:
    assert problem_with("chat_model", name) == ""
    assert problem_with("embedder", name) == ""


@pytest.mark.parametrize("text", ["my model", "模型", "a;b"])
def test_a_text_that_is_neither_name_nor_place_is_wrong(text: str) -> None:
    assert problem_with("chat_model", text).startswith("This is neither")


def test_a_chat_model_must_be_a_gguf_file(tmp_path: Path) -> None:
    model, other = tmp_path / "model.GGUF", tmp_path / "notes.txt"
    model.touch()
    other.touch()

    assert problem_with("chat_model", str(model)) == ""
    assert problem_with("chat_model", str(other)) == "This is not a .gguf file."
    assert problem_with("chat_model", str(tmp_path)) == "This is a folder. Choose the .gguf file in it."
    assert problem_with("chat_model", str(tmp_path / "gone.gguf")) == "There is no file here."
    assert problem_with("chat_model", "gone.gguf") == "There is no file here."


def test_an_embedder_must_be_a_sentence_transformers_folder(tmp_path: Path) -> None:
    folder = tmp_path / "e5"
    folder.mkdir()

    assert problem_with("embedder", str(folder)).startswith("This folder is not a sentence-transformers model")
    (folder / "modules.json").touch()
    assert problem_with("embedder", str(folder)) == ""
    assert problem_with("embedder", str(tmp_path / "gone")) == "There is no folder here."


@pytest.mark.parametrize("text", ["http://127.0.0.1:8080/html", "https://search.example/html/"])
def test_a_web_address_is_right(text: str) -> None:
    assert problem_with("address", text) == ""


@pytest.mark.parametrize(
    "text", ["search.example", "ftp://x/y", "file:///etc/hosts", "http://", "http://x:99999999/", "http://[", "javascript:alert(1)"]
)
def test_what_is_no_web_address_is_wrong(text: str) -> None:
    assert problem_with("address", text).startswith("This is not a web address")
