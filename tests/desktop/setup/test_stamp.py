from __future__ import annotations

from pathlib import Path

import pytest

from desktop.setup import stamp


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished tree in a folder of its own."""
    for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml"):
        (tmp_path / name).write_text("llama-cpp-python==1\n", encoding="utf-8")
    (tmp_path / "resources" / "translations").mkdir(parents=True)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = stamp.venv_python(tmp_path / ".venv")
    python.parent.mkdir(exist_ok=True)
    python.touch()
    monkeypatch.setattr(stamp, "ROOT", tmp_path)
    monkeypatch.setattr(stamp, "venv_python", lambda: python)
    monkeypatch.delenv("LAMPLIGHT_MODELS", raising=False)
    return tmp_path


def finished(tree: Path, *, testing: bool = False) -> dict[str, str]:
    """Everything done: the stamp, and what the steps made."""
    keys = stamp.wanted_keys(testing=testing, window=False)
    names = keys["models"].split()
    for name in names:
        (tree / ".models" / name).mkdir(parents=True, exist_ok=True)
    return keys | {"models": stamp.model_pairs({}, {name: name for name in names})}


def missing(done: dict[str, str], *, testing: bool = False) -> list[str]:
    wanted = stamp.wanted_keys(testing=testing, window=False)
    return [step for step in wanted if not stamp.is_done(step, wanted, done)]


def test_a_finished_set_up_has_nothing_left_to_do(tree: Path) -> None:
    assert missing(finished(tree)) == []


def test_another_lock_file_asks_for_its_packages_alone(tree: Path) -> None:
    done = finished(tree)

    (tree / "requirements.lock").write_text("llama-cpp-python==1\nnumpy==3\n", encoding="utf-8")

    assert missing(done) == ["packages"]


def test_another_runtime_version_is_built_again(tree: Path) -> None:
    done = finished(tree)

    (tree / "requirements.lock").write_text("llama-cpp-python==2\n", encoding="utf-8")

    assert missing(done) == ["packages", "runtime"]


def test_models_that_were_deleted_are_fetched_again(tree: Path) -> None:
    done = finished(tree)

    (tree / ".models" / stamp.EMBEDDER).rmdir()

    assert missing(done) == ["models"]


def test_a_smaller_model_in_place_of_a_wanted_one_counts(tree: Path) -> None:
    done = finished(tree)
    (tree / ".models" / stamp.CHAT_MODEL).rmdir()
    (tree / ".models" / "smollm2-135m").mkdir()

    done["models"] = stamp.model_pairs(done, {stamp.CHAT_MODEL: "smollm2-135m"})

    assert missing(done) == []


def test_the_tests_need_more_than_the_window_does(tree: Path) -> None:
    assert missing(finished(tree), testing=True) == ["models", "tools"]


def test_a_new_translation_is_compiled(tree: Path) -> None:
    done = finished(tree)

    (tree / "resources" / "translations" / "lamplight_xx.ts").write_text("<TS/>", encoding="utf-8")

    assert missing(done) == ["translations"]


def test_a_deleted_virtual_environment_and_a_moved_tree_are_noticed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = finished(tree)
    stamp.venv_python().unlink()

    assert missing(done) == ["venv"]
    done["project"] = done["project"].replace(str(tree), "/somewhere/else")
    assert missing(done) == ["venv", "project"]


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", '"x"'])
def test_a_damaged_stamp_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "stamp.json").write_text(content, encoding="utf-8")

    assert stamp.read_stamp(tmp_path / "stamp.json") == {}


def test_steps_are_recorded_one_by_one(tmp_path: Path) -> None:
    file = tmp_path / "stamp.json"

    stamp.record("venv", "a", file)
    stamp.record("packages", "b", file)
    stamp.record("venv", "c", file)

    assert stamp.read_stamp(file) == {"venv": "c", "packages": "b"}
