"""Changing the embedding model by the command line, with real weights: the one before answers until the new one has every file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.fakes.command_line import CommandLine

pytestmark = [pytest.mark.real, pytest.mark.timeout(900)]

TEXTS = {
    "lamp.md": "The lamp of the lighthouse burns rape-seed oil, and the keeper trims its wick every four hours.",
    "fish.md": "Herring are salted in barrels of oak; a barrel holds eight hundred of them.",
    "bell.md": "In fog the bell is struck twice a minute, by hand if the machine has failed.",
}
QUESTION = "Which fuel does the light need?"


def shorter_vectors(starter: Path, folder: Path) -> Path:
    """The starter embedder with vectors of 64 numbers instead of 384: a model of another dimension and another id."""
    shutil.copytree(starter, folder)
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    dense = {"path": "3_Dense", "type": "sentence_transformers.models.Dense"}
    modules.insert(2, dense)
    named = [{**module, "idx": index, "name": str(index)} for index, module in enumerate(modules)]
    (folder / "modules.json").write_text(json.dumps(named), encoding="utf-8")
    (folder / "3_Dense").mkdir()
    (folder / "3_Dense" / "config.json").write_text(
        json.dumps({"in_features": 384, "out_features": 64, "bias": False, "activation_function": "torch.nn.modules.linear.Identity"}),
        encoding="utf-8",
    )
    weights = np.linalg.qr(np.random.default_rng(7).normal(size=(384, 64)))[0].T.astype(np.float32)
    save_file({"linear.weight": np.ascontiguousarray(weights)}, folder / "3_Dense" / "model.safetensors")
    return folder


def test_the_model_before_answers_until_the_new_one_has_every_file(tmp_path: Path, starter_models: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in TEXTS.items():
        (docs / name).write_text(text, encoding="utf-8")
    lamplight = CommandLine(tmp_path / "home", "")
    before = starter_models / "multilingual-e5-small"
    new = shorter_vectors(before, tmp_path / "shorter")

    def found(embedder: Path, mode: str = "vectors") -> tuple[list[str], list[str]]:
        """The files that a search brings, best first, and its notes."""
        ran = lamplight("search", QUESTION, "--mode", mode, "--json", "--embedder", embedder)
        assert ran.code == 0, ran.err
        return [Path(passage["file"]).name for passage in ran.last["passages"]], ran.last["notes"]

    def listed(embedder: Path) -> dict[str, tuple[str, str]]:
        files = lamplight("library", "list", "--json", "--embedder", embedder).last["files"]
        return {Path(file["file"]).name: (file["state"], file["reason"]) for file in files}

    assert lamplight("index", docs, "--embedder", before).code == 0
    at_first, notes = found(before)
    assert (at_first[0], set(at_first), notes) == ("lamp.md", set(TEXTS), [])

    # Chosen, and nothing indexed yet; then one file of three.
    assert found(new) == (at_first, [])
    assert lamplight("index", docs / "fish.md", "--embedder", new).code == 0
    assert found(new) == (at_first, [])
    assert listed(new) == {"fish.md": ("ready", ""), "lamp.md": ("waiting", "other_model"), "bell.md": ("waiting", "other_model")}
    assert lamplight("library", "check", "--json").last["ok"]

    assert lamplight("index", docs, "--embedder", new).code == 0
    counts = lamplight("library", "check", "--json").last
    assert (counts["ok"], counts["ready"], counts["vectors"]) == (True, 3, counts["chunks"])
    with_the_new_one, notes = found(new)
    assert (with_the_new_one[0], set(with_the_new_one), notes) == ("lamp.md", set(TEXTS), [])
    assert found(before) == (with_the_new_one, [])  # which has no vectors any more: the other one answers

    new.rename(tmp_path / "elsewhere")
    assert found(before, "hybrid")[1] == ["vectors_incomplete"]
