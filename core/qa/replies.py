"""The forms a model's structured replies are held to. Field order is the order in which the model writes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Lookup = Annotated[str, Field(max_length=160)]


class SubQuestions(BaseModel):
    """The ordered lookups a question is split into."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lookups: list[Lookup] = Field(min_length=1, max_length=8)
