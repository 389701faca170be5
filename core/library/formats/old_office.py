"""Which parser reads an Office file of before 2007, told from the streams in it: its name may say something else."""

from __future__ import annotations

from core.errors import DocumentUnreadable
from core.library.formats import old_presentation, old_word, old_workbook
from core.library.formats.old_container import OldContainer
from core.library.formats.parsed import ParsedDocument


def read_old_office(data: bytes) -> ParsedDocument:
    """Raises `DocumentUnreadable`: damaged, needs_password, unsupported, too_large."""
    container = OldContainer(data)
    if old_word.MAIN_STREAM in container:
        return old_word.read_old_word(container)
    if any(name in container for name in old_workbook.MAIN_STREAMS):
        return old_workbook.read_old_workbook(container)
    if old_presentation.MAIN_STREAM in container:
        return old_presentation.read_old_presentation(container)
    raise DocumentUnreadable("The file is in an old format that cannot be read.", code="unsupported")
