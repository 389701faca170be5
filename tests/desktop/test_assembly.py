from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.events import AnswerFinished
from core.paths import PROGRAM, Paths
from core.settings import AppearanceSettings, ModelSettings, Settings, WebSettings
from desktop.assembly import SmallerModel, assemble
from models.catalog import Fallback, record_fallback


def test_wiring_opens_no_file_and_loads_nothing_heavy(paths: Paths) -> None:
    probe = (
        "import sys; from pathlib import Path; from core.paths import Paths; from core.settings import Settings; from desktop.assembly import assemble\n"
        "application = assemble(Paths(Path(sys.argv[1])), Settings()); application.session; application.close(); print(' '.join(sys.modules))"
    )

    done = subprocess.run(
        [sys.executable, "-c", probe, str(paths.home)], cwd=PROGRAM, capture_output=True, text=True, encoding="utf-8", check=True
    )

    assert not {"torch", "llama_cpp", "sentence_transformers", "langgraph", "ddgs", "PySide6"} & set(done.stdout.split())
    assert list(paths.home.iterdir()) == []


def test_the_parts_belong_together(paths: Paths) -> None:
    application = assemble(paths, Settings(), use_echo=True)

    events = list(application.session.ask("1+1=?", cancel=CancelToken()))
    application.close()

    assert isinstance(events[-1], AnswerFinished)
    assert (events[-1].answer.model, events[-1].answer.embedder) == (application.chat_model.model_id, application.embedder.model_id)


def test_closing_twice_or_unused_is_harmless(paths: Paths) -> None:
    application = assemble(paths, Settings(), use_echo=True)

    application.close()
    application.close()


def test_models_may_come_from_another_home(paths: Paths) -> None:
    other = Paths(paths.home / "other")

    application = assemble(other, Settings(), use_echo=True, model_paths=paths)

    assert (application.paths, application.model_paths) == (other, paths)


def test_a_changed_look_keeps_the_web_search_and_a_changed_engine_does_not(paths: Paths) -> None:
    application = assemble(paths, Settings(), use_echo=True)

    dark = application.with_settings(Settings(appearance=AppearanceSettings(theme="dark")))
    own_engine = application.with_settings(Settings(web=WebSettings(engine_url="http://127.0.0.1:1/")))

    assert dark.web_search is application.web_search
    assert own_engine.web_search is not application.web_search
    assert own_engine.library is application.library


def test_a_smaller_starter_model_is_known_where_it_is_used(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMPLIGHT_MODELS", str(tmp_path))
    record_fallback(tmp_path, Fallback("qwen2.5-coder-1.5b", "smollm2-135m", "It is gone."))

    told = assemble(paths, Settings()).smaller_model
    chosen = assemble(paths, Settings(models=ModelSettings(chat_model="smollm2-135m"))).smaller_model

    assert isinstance(told, SmallerModel) and told.wanted_id == "qwen2.5-coder-1.5b"
    assert "1.5B" in told.wanted and "135M" in told.installed
    assert chosen is None


def test_a_damaged_word_about_a_smaller_model_is_no_word(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMPLIGHT_MODELS", str(tmp_path))
    record_fallback(tmp_path, Fallback("of-another-catalogue", "smollm2-135m", ""))

    assert assemble(paths, Settings()).smaller_model is None
