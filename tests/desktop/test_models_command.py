from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.documents import Prompt
from core.errors import NotEnoughMemory
from core.logs import EventLog
from core.paths import Paths
from core.settings import Settings
from desktop.arguments import parse_arguments
from desktop.commands import models
from desktop.invocation import Invocation
from desktop.terminal import Terminal
from models.calibration import find_calibration
from models.catalog import load_catalog
from tests.fakes.scripted_chat_model import ScriptedChatModel


class Screen:
    """A terminal whose two streams can be read."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self.terminal = Terminal(as_json=as_json, out=self.out, err=self.err)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"GGUF" + b"\x01" * 100)
    return file


def run(home: Path, screen: Screen, *arguments: str) -> int:
    paths = Paths(home)
    paths.logs.mkdir(parents=True, exist_ok=True)
    parsed = parse_arguments(["models", *arguments])
    return models.run(Invocation(parsed, paths, Settings(), screen.terminal, EventLog(paths.logs), CancelToken()))


def answered_by(monkeypatch: pytest.MonkeyPatch, model: ScriptedChatModel) -> None:
    monkeypatch.setattr(models, "build_chat_model", lambda settings, locate: nullcontext(model))


def undecided(prompt: Prompt, labels: Sequence[str]) -> dict[str, float]:
    return dict.fromkeys(labels, 0.5)


def test_a_file_of_ones_own_can_be_calibrated(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered_by(monkeypatch, ScriptedChatModel(choices=undecided, model_id="mine"))
    screen = Screen()

    code = run(tmp_path / "home", screen, "calibrate", str(weights))

    assert code == 0
    assert "mine is calibrated" in screen.out.getvalue()
    assert "always takes the safe one" in screen.out.getvalue()
    assert find_calibration(weights, tmp_path / "home" / "models") is not None


def test_calibrating_in_json_tells_progress_and_what_was_found(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered_by(monkeypatch, ScriptedChatModel(choices=undecided, model_id="mine"))
    screen = Screen(as_json=True)

    run(tmp_path / "home", screen, "calibrate", str(weights))

    lines = [json.loads(line) for line in screen.out.getvalue().splitlines()]
    assert lines[0]["event"] == "progress"
    assert lines[-1]["event"] == "calibrated"
    assert {one["decision"] for one in lines[-1]["decisions"]} >= {"files", "enough"}
    assert all(one["fixed"] for one in lines[-1]["decisions"])


def placed(home: Path, model_id: str) -> Path:
    """Pretend that a catalogue model is installed; its file has a hole in the place of weights."""
    model = next(model for model in load_catalog() if model.id == model_id)
    file = home / "models" / model.id / model.file_name
    file.parent.mkdir(parents=True)
    with file.open("wb") as out:
        out.write(b"GGUF")
        out.truncate(model.size_bytes)
    return file


def test_installing_a_chat_model_calibrates_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedChatModel(choices=undecided)
    answered_by(monkeypatch, model)
    file = placed(tmp_path, "smollm2-135m")

    assert run(tmp_path, Screen(), "install", "smollm2-135m") == 0
    asked = len(model.asked)
    assert run(tmp_path, Screen(), "install", "smollm2-135m") == 0

    assert find_calibration(file, tmp_path / "models") is not None
    assert len(model.asked) == asked > 0


def test_a_model_that_cannot_be_calibrated_is_installed_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered_by(monkeypatch, ScriptedChatModel(choices=lambda prompt, labels: NotEnoughMemory("It needs 2 GB.")))
    placed(tmp_path, "smollm2-135m")
    screen = Screen()

    assert run(tmp_path, screen, "install", "smollm2-135m") == 0

    assert "is installed" in screen.out.getvalue()
    assert "lamplight models calibrate smollm2-135m" in screen.err.getvalue()


def test_the_list_says_which_chat_models_are_not_calibrated(tmp_path: Path) -> None:
    placed(tmp_path, "smollm2-135m")
    screen, lines = Screen(), Screen(as_json=True)

    run(tmp_path, screen, "list")
    run(tmp_path, lines, "list")

    row = next(line for line in screen.out.getvalue().splitlines() if "smollm2" in line)
    assert "not calibrated" in row
    found = {model["id"]: model["calibrated"] for model in json.loads(lines.out.getvalue())["models"]}
    assert found["smollm2-135m"] is False
    assert found["multilingual-e5-small"] is None
