"""What is loaded behind the open window."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.paths import Paths
from desktop.warming import load_models
from tests.fakes.window import WindowApplication


@pytest.mark.parametrize("has_documents", [True, False])
def test_the_encoder_and_its_tokenizer_are_loaded_if_there_is_anything_to_search(tmp_path: Path, has_documents: bool) -> None:
    application = WindowApplication(Paths(tmp_path))
    application.library.texts = {Path("/a.txt"): "A."} if has_documents else {}

    list(load_models(application, CancelToken()))  # type: ignore[arg-type]

    assert application.chat_model.calls == ["stream", *(["embed_query", "count_tokens"] if has_documents else [])]
    application.close()
