"""Everything a person can set, as one frozen tree. The settings dialog, the settings file and the docs derive from it.

The first line of a field's description says what the person gains; it is shown in the dialog and is translated there.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

WebMode = Literal["off", "ask", "auto"]
Budget = Literal["quick", "careful", "exhaustive"]
Theme = Literal["system", "light", "dark"]
Language = Literal["system", "en", "zh_CN"]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelSettings(_Section):
    """Which models think and search."""

    chat_model: str = Field("", description="Chat model: a catalogue id or a GGUF file. Empty uses the best installed one.")
    embedder: str = Field(
        "", description="Embedding model: a catalogue id or a sentence-transformers folder. Empty uses the best installed one."
    )
    context_tokens: int = Field(
        4096, ge=1024, le=131072, description="Context size in tokens: how much the model can read at once. More needs more memory."
    )
    threads: int = Field(0, ge=0, le=256, description="Processor threads for the models. 0 uses what the machine has.")


class AnswerSettings(_Section):
    """How questions are answered."""

    budget: Budget = Field("careful", description="How much work goes into an answer: quick, careful or exhaustive.")
    own_knowledge: bool = Field(True, description="When your files do not say, add what the model itself knows, plainly marked.")
    max_retrievals: int = Field(8, ge=1, le=8, description="How many lookups one question may take at most.")


class WebSettings(_Section):
    """Whether the web may be asked when the files do not say."""

    mode: WebMode = Field(
        "off", description="Web fallback: off, ask before every search, or automatic. Only the question's words ever leave this computer."
    )
    engine_url: str = Field(
        "", description="Address of your own search server that answers as DuckDuckGo's HTML page does. Empty uses DuckDuckGo."
    )


class AppearanceSettings(_Section):
    """How the window looks."""

    theme: Theme = Field("system", description="Light or dark window, or whatever the system uses.")
    language: Language = Field("system", description="Language of the window.")


class Settings(_Section):
    """The whole tree; every value has a default that works."""

    models: ModelSettings = ModelSettings()
    answers: AnswerSettings = AnswerSettings()
    web: WebSettings = WebSettings()
    appearance: AppearanceSettings = AppearanceSettings()
