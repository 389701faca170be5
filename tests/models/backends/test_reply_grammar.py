from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel, Field

from core.errors import GrammarInvalid
from models.backends.reply_grammar import reply_grammar


class Route(BaseModel):
    strategy: Literal["simple", "complex"]
    reason: str = Field(max_length=80)


class Lookups(BaseModel):
    lookups: list[str] = Field(min_length=1, max_length=4)


class Tree(BaseModel):
    name: str
    children: list[Tree] = Field(max_length=2)


class Free(BaseModel):
    anything: dict[str, int]


class Empty(BaseModel):
    pass


def test_a_reply_begins_with_what_the_model_has_no_choice_about() -> None:
    assert reply_grammar(Route.model_json_schema()).opening == '{"strategy":"'
    assert reply_grammar(Lookups.model_json_schema()).opening == '{"lookups":["'


def test_fields_are_written_in_the_order_of_the_type_without_spaces() -> None:
    gbnf = reply_grammar(Route.model_json_schema()).gbnf

    assert gbnf.startswith(
        'root ::= ("{\\"strategy\\":" ("\\"simple\\"" | "\\"complex\\"") ",\\"reason\\":" ("\\"" character{0,80} "\\"") "}")\n'
    )


def test_a_type_that_contains_itself_has_a_grammar() -> None:
    assert "def-Tree ::=" in reply_grammar(Tree.model_json_schema()).gbnf


@pytest.mark.parametrize("reply_type", [Free, Empty])
def test_a_type_without_fields_is_refused(reply_type: type[BaseModel]) -> None:
    with pytest.raises(GrammarInvalid):
        reply_grammar(reply_type.model_json_schema())


@pytest.mark.parametrize(
    "schema", [{}, {"type": "object", "properties": {"x": {"not": {}}}}, {"$ref": "#/$defs/Nothing"}, {"type": "array"}]
)
def test_a_schema_that_cannot_be_expressed_is_refused(schema: dict[str, object]) -> None:
    with pytest.raises(GrammarInvalid):
        reply_grammar(schema)
