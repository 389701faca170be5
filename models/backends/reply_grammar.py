"""A grammar for a reply type: from a pydantic JSON schema to GBNF that allows compact JSON and nothing else.

The converter inside llama-cpp-python is not used: it lets raw control characters and trailing spaces through, mis-escapes
backslashes, and ignores bounds. Notation: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import GrammarInvalid

_MAX_COUNTED = 1000
_MAX_ENUMERATED = 101
_DEFAULT_ITEMS = 32

# No \u escapes: every character can be written as itself, and half a surrogate pair cannot be written at all.
_CHARACTER = r'[^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt]'
_INTEGER = r'"-"? ("0" | [1-9] [0-9]{0,14})'
_NUMBER = r'"-"? ("0" | [1-9] [0-9]{0,14}) ("." [0-9]{1,15})?'
_SHARED = {"character": _CHARACTER, "integer": _INTEGER, "number": _NUMBER, "boolean": '"true" | "false"', "null": '"null"'}

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReplyGrammar:
    """GBNF with the rule `root`, and the text every reply begins with, which need not be generated."""

    gbnf: str
    opening: str


def reply_grammar(schema: Schema) -> ReplyGrammar:
    """The grammar of a JSON schema made by pydantic. Raises `GrammarInvalid` for what cannot be expressed.

    Every property is required, in the order of the type. A string without `max_length` may be as long as the token limit allows.
    """
    rules = _Rules(schema.get("$defs", {}))
    root = rules.expression(schema, ())
    lines = [f"root ::= {root}", *(f"{name} ::= {body}" for name, body in sorted(rules.named.items()))]
    return ReplyGrammar("\n".join(lines) + "\n", _opening(schema, schema.get("$defs", {})))


class _Rules:
    def __init__(self, definitions: Schema) -> None:
        self._definitions = definitions
        self.named: dict[str, str] = {}

    def expression(self, schema: Schema, inside: tuple[str, ...]) -> str:
        """The right-hand side for one schema. `inside` names the definitions being expanded."""
        if "$ref" in schema:
            return self._reference(schema["$ref"], inside)
        if "const" in schema:
            return _literal(_json(schema["const"]))
        if "enum" in schema:
            return _either(_literal(_json(value)) for value in schema["enum"])
        for union in ("anyOf", "oneOf"):
            if union in schema:
                return _either(self.expression(option, inside) for option in schema[union])
        if len(schema.get("allOf", ())) == 1:
            return self.expression(schema["allOf"][0], inside)
        match schema.get("type"):
            case "object":
                return self._object(schema, inside)
            case "array":
                return self._array(schema, inside)
            case "string":
                return self._string(schema)
            case "integer":
                return self._integer(schema)
            case "number" | "boolean" | "null" as name:
                return self._shared(name)
            case other:
                raise GrammarInvalid(f"A reply cannot hold a value of type {other!r}.", schema=_json(schema)[:300])

    def _reference(self, reference: str, inside: tuple[str, ...]) -> str:
        name = reference.removeprefix("#/$defs/")
        if name not in self._definitions:
            raise GrammarInvalid(f"A reply type refers to {reference!r}, which is not there.")
        rule = "def-" + "".join(c if c.isascii() and c.isalnum() else "-" for c in name)
        if name not in inside and rule not in self.named:
            # GBNF rules may refer to themselves, so a recursive type needs no more than its name.
            self.named[rule] = ""
            self.named[rule] = self.expression(self._definitions[name], (*inside, name))
        return rule

    def _object(self, schema: Schema, inside: tuple[str, ...]) -> str:
        properties = schema.get("properties")
        if not properties:
            raise GrammarInvalid("A reply type has an object without named fields.", schema=_json(schema)[:300])
        parts: list[str] = []
        for position, (key, value) in enumerate(properties.items()):
            parts.append(_literal(("{" if position == 0 else ",") + _json(key) + ":"))
            parts.append(self.expression(value, inside))
        return "(" + " ".join([*parts, '"}"']) + ")"

    def _array(self, schema: Schema, inside: tuple[str, ...]) -> str:
        if "prefixItems" in schema:
            items = [self.expression(item, inside) for item in schema["prefixItems"]]
            return "(" + " ".join(['"["', ' "," '.join(items), '"]"']) + ")"
        least, most = int(schema.get("minItems", 0)), int(schema.get("maxItems", _DEFAULT_ITEMS))
        if "items" not in schema or most < max(least, 1) or most > _MAX_COUNTED:
            raise GrammarInvalid("A reply type has a list that cannot be bounded.", schema=_json(schema)[:300])
        item = self.expression(schema["items"], inside)
        more = f'("," {item}){{{max(least - 1, 0)},{most - 1}}}' if most > 1 else ""
        some = f"{item} {more}".strip()
        return f'("[" {some} "]")' if least > 0 else f'("[" ({some})? "]")'

    def _string(self, schema: Schema) -> str:
        character = self._shared("character")
        least, most = int(schema.get("minLength", 0)), schema.get("maxLength")
        if most is None:
            return f'("\\"" {character}{{{least},}} "\\"")'
        if most > _MAX_COUNTED:
            # llama.cpp refuses grammars with many repetitions; the type itself is checked afterwards anyway.
            return f'("\\"" {character}* "\\"")'
        return f'("\\"" {character}{{{least},{int(most)}}} "\\"")'

    def _integer(self, schema: Schema) -> str:
        least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1 if "exclusiveMinimum" in schema else None)
        most = schema.get("maximum", schema.get("exclusiveMaximum", 1) - 1 if "exclusiveMaximum" in schema else None)
        if least is not None and most is not None and 0 <= most - least < _MAX_ENUMERATED:
            return _either(_literal(str(number)) for number in range(int(least), int(most) + 1))
        return self._shared("integer")

    def _shared(self, name: str) -> str:
        self.named[name] = _SHARED[name]
        return name


def _opening(schema: Schema, definitions: Schema) -> str:
    """The text up to the first place where the model has a choice."""
    if "$ref" in schema:
        return _opening(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    if schema.get("type") == "object" and schema.get("properties"):
        key, value = next(iter(schema["properties"].items()))
        return "{" + _json(key) + ":" + _opening(value, definitions)
    if schema.get("type") == "array" and "items" in schema and int(schema.get("minItems", 0)) > 0:
        return "[" + _opening(schema["items"], definitions)
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return '"' if all(isinstance(value, str) for value in values) else ""
    return '"' if schema.get("type") == "string" else ""


def _either(options: Any) -> str:
    return "(" + " | ".join(options) + ")"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _literal(text: str) -> str:
    """A GBNF literal for exactly this text."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f'"{escaped}"'
