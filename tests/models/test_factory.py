from __future__ import annotations

import pytest

from core.cancel import CancelToken
from core.errors import ModelMissing
from core.paths import Paths
from core.settings import ModelSettings
from models.factory import build_echo_models, build_models


def test_building_models_looks_for_nothing_and_starts_nothing(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMPLIGHT_MODELS", str(paths.home / "none"))

    models = build_models(ModelSettings(context_tokens=2048), paths)

    assert models.chat_model.context_tokens == 2048
    with pytest.raises(ModelMissing):
        models.chat_model.count_tokens("hello")
    with pytest.raises(ModelMissing):
        models.embedder.embed_query("hello", cancel=CancelToken())
    models.close()
    models.close()


def test_models_without_weights_need_no_installation() -> None:
    models = build_echo_models()

    assert models.embedder.embed_query("hello", cancel=CancelToken()).shape == (models.embedder.dimension,)
    models.close()
