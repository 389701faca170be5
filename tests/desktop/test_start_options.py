from __future__ import annotations

from pathlib import Path

import pytest

from core.settings import AnswerSettings, ModelSettings, Settings, WebSettings
from desktop.arguments import parse_arguments
from desktop.start_options import StartOptions, options_of

SAVED = Settings(web=WebSettings(mode="ask"), answers=AnswerSettings(budget="quick"))


def test_what_the_command_line_says_holds_instead_of_the_settings() -> None:
    options = options_of(parse_arguments(["--web", "off", "--budget", "exhaustive", "--embedder", "all-minilm-l6-v2"]))

    holding = options.applied_to(SAVED)

    assert (holding.web.mode, holding.answers.budget, holding.models.embedder) == ("off", "exhaustive", "all-minilm-l6-v2")


def test_without_options_the_settings_hold() -> None:
    assert options_of(parse_arguments([])).applied_to(SAVED) == SAVED


def test_a_model_file_is_found_from_anywhere_and_an_id_stays_an_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    file = options_of(parse_arguments(["--model", "mine.gguf"])).applied_to(SAVED)
    known = options_of(parse_arguments(["--model", "smollm2-135m"])).applied_to(SAVED)

    assert file.models.chat_model == str(tmp_path / "mine.gguf")
    assert known.models.chat_model == "smollm2-135m"


def test_an_option_is_not_saved_with_another_setting() -> None:
    options = StartOptions({("web", "mode"): "off"})
    wanted = options.applied_to(SAVED).model_copy(update={"models": ModelSettings(threads=3)})

    saved, left = options.after_change(SAVED, wanted)

    assert (saved.web.mode, saved.models.threads) == ("ask", 3)
    assert left.applied_to(saved) == wanted


def test_an_option_ends_when_the_person_sets_something_else() -> None:
    options = StartOptions({("web", "mode"): "off"})
    wanted = options.applied_to(SAVED).model_copy(update={"web": WebSettings(mode="auto")})

    saved, left = options.after_change(SAVED, wanted)

    assert saved.web.mode == "auto"
    assert left == StartOptions()
