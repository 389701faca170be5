"""XML without surprises: no entities, nothing loaded from anywhere, names without their namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from core.library.formats.parsed import damaged

Element = Any
"""An lxml element; lxml has no types of its own."""

# libxml2's own bounds stay on: 256 levels, 10 MB for one text.
_SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
_ENTITY_MARKS = tuple("<!ENTITY".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))


def parse(data: bytes) -> Element:
    """The root element. Raises `DocumentUnreadable` (damaged) for what is not XML, or declares entities: no document needs them."""
    refuse_entities(data)
    parser = etree.XMLParser(remove_comments=True, remove_pis=True, collect_ids=False, **_SAFE)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise _not_xml(error) from error


def name_of(element: Element) -> str:
    """The name of an element without its namespace; documents of one format use several. Empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str, default: str = "") -> str:
    """An attribute by its name: the one without a namespace, else one with any."""
    if (plain := element.get(name)) is not None:
        return str(plain)
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return default


def child(element: Element, *path: str) -> Element | None:
    """The first child of that name, or the first child's first child and so on, or None."""
    found: Element = element
    for name in path:
        found = next((item for item in found if name_of(item) == name), None)
        if found is None:
            return None
    return found


def children(element: Element, name: str) -> list[Element]:
    """The direct children of that name."""
    return [item for item in element if name_of(item) == name]


def descendants(element: Element, name: str) -> Iterator[Element]:
    """All elements of that name below `element`, in document order."""
    return iter(element.iter(f"{{*}}{name}"))


def integer(text: str, default: int = 0) -> int:
    """A small whole number as documents write it; anything else is `default`."""
    try:
        return int(text) if len(text) < 12 else default
    except ValueError:
        return default


def refuse_entities(data: bytes) -> None:
    """Raises `DocumentUnreadable` (damaged) if an entity is declared anywhere."""
    if any(mark in data for mark in _ENTITY_MARKS):
        raise damaged("it declares entities, which no document of its kind does")


def _not_xml(error: Exception) -> Exception:
    if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
        return MemoryError()
    return damaged("a part of it is not XML")
