"""What .docx, .xlsx and .pptx have in common: a ZIP archive of parts that point to each other."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import DocumentUnreadable
from core.library.formats.archive import Archive, resolve
from core.library.formats.parsed import needs_password
from core.library.formats.xml_tree import Element, attribute, parse

OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How the files of Office before 2007 begin, and those of any Office with a password."""

_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")


@dataclass(frozen=True, slots=True)
class Relation:
    """A pointer from one part to another. `kind` is the last word of its type, such as "styles"."""

    id: str
    kind: str
    part: str


def office_archive(data: bytes) -> Archive:
    """The parts of an Office document. Raises `DocumentUnreadable`: needs_password, unsupported (an old binary format), damaged, unpacks_too_large."""
    if data.startswith(OLD_OFFICE):
        # An encrypted document is an old-style container around the encrypted archive.
        if _ENCRYPTED_PACKAGE in data:
            raise needs_password()
        raise DocumentUnreadable("The file is in an old Office format under a new name.", code="unsupported")
    return Archive(data)


class OfficePackage:
    """The parts of an Office document and what they point to."""

    def __init__(self, data: bytes, usual_main_part: str) -> None:
        """Raises like `office_archive`."""
        self.archive = office_archive(data)
        mains = [relation.part for relation in self.relations("") if relation.kind == "officeDocument"]
        self.main_part = next((part for part in mains if part in self.archive), usual_main_part)

    def tree(self, part: str) -> Element:
        """The root element of a part. Raises `DocumentUnreadable`."""
        return parse(self.archive.read(part))

    def relations(self, part: str) -> list[Relation]:
        """What a part points to inside the document ("" is the document itself); links to elsewhere are left out."""
        folder, _, name = part.rpartition("/")
        data = self.archive.read_if_there(f"{folder}/_rels/{name}.rels".lstrip("/"))
        if data is None:
            return []
        return [
            Relation(attribute(item, "Id"), attribute(item, "Type").rpartition("/")[2], resolve(part, attribute(item, "Target")))
            for item in parse(data)
            if attribute(item, "TargetMode") != "External"
        ]

    def related(self, part: str, kind: str) -> str:
        """The first part of that kind that `part` points to, or "" if there is none."""
        return next((item.part for item in self.relations(part) if item.kind == kind and item.part in self.archive), "")
