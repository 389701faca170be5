"""Documents as programs write them, small and made by hand: what matters for reading them and nothing else."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style", "draw", "presentation", "manifest")
)


def zipped(parts: Mapping[str, str | bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP file with these members, in order."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    """A part of relations: id -> (kind, target)."""
    items = "".join(f'<Relationship Id="{id}" Type="{_TYPES}/{kind}" Target="{target}"/>' for id, (kind, target) in targets.items())
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{items}</Relationships>'


# Word


def paragraph(text: str, *, style: str = "", numbers: tuple[int, int] | None = None) -> str:
    """A paragraph of one run; `numbers` is the id of its list and its level in it."""
    list_place = f'<w:numPr><w:ilvl w:val="{numbers[1]}"/><w:numId w:val="{numbers[0]}"/></w:numPr>' if numbers else ""
    style_mark = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f'<w:p><w:pPr>{style_mark}{list_place}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def word_file(body: str, *, styles: str = "", numbering: str = "", footnotes: str = "") -> bytes:
    """A .docx with this body; the other arguments are the insides of the parts of that name."""
    heading_styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{number}"><w:name w:val="heading {number}"/></w:style>' for number in (1, 2, 3)
    )
    return zipped(
        {
            "_rels/.rels": relations({"rId1": ("officeDocument", "word/document.xml")}),
            "word/_rels/document.xml.rels": relations(
                {
                    "rId1": ("styles", "styles.xml"),
                    "rId2": ("numbering", "numbering.xml"),
                    "rId3": ("footnotes", "footnotes.xml"),
                    "rId4": ("comments", "comments.xml"),
                }
            ),
            "word/document.xml": f"<w:document {_W}><w:body>{body}<w:sectPr/></w:body></w:document>",
            "word/styles.xml": f"<w:styles {_W}>{heading_styles}{styles}</w:styles>",
            "word/numbering.xml": f"<w:numbering {_W}>{numbering}</w:numbering>",
            "word/footnotes.xml": f"<w:footnotes {_W}>{footnotes}</w:footnotes>",
            "word/comments.xml": f"<w:comments {_W}><w:comment>{paragraph('a remark')}</w:comment></w:comments>",
        }
    )


# Excel


def workbook_file(
    sheets: Mapping[str, str], *, strings: Sequence[str] = (), formats: Sequence[tuple[int, str]] = (), hidden: str = "", settings: str = ""
) -> bytes:
    """A .xlsx: sheet name -> its rows as XML. Cell style n has number format `formats[n]` (id and code); style 0 is General."""
    codes = "".join(f'<numFmt numFmtId="{id}" formatCode="{code}"/>' for id, code in formats if code)
    styles = "".join(f'<xf numFmtId="{id}"/>' for id, _ in formats)
    parts = {
        f"xl/worksheets/sheet{n}.xml": f"<worksheet {_S}><sheetData>{rows}</sheetData></worksheet>"
        for n, rows in enumerate(sheets.values())
    }
    names = "".join(
        f'<sheet name="{name}" sheetId="{n + 1}" r:id="rId{n}" state="{"hidden" if name == hidden else "visible"}"/>'
        for n, name in enumerate(sheets)
    )
    links = {f"rId{n}": ("worksheet", f"/xl/worksheets/sheet{n}.xml") for n in range(len(sheets))}
    kinds = {"workbook": "sheet.main", "sharedStrings": "sharedStrings"}
    types = "".join(
        f'<Override PartName="/xl/{part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml"/>'
        for part, kind in kinds.items()
    )
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{types}</Types>',
            "_rels/.rels": relations({"rId1": ("officeDocument", "xl/workbook.xml")}),
            "xl/workbook.xml": f"<workbook {_S} {_R}><workbookPr {settings}/><sheets>{names}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(links | {"s": ("styles", "styles.xml"), "t": ("sharedStrings", "sharedStrings.xml")}),
            "xl/styles.xml": f"<styleSheet {_S}><numFmts>{codes}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>",
            "xl/sharedStrings.xml": f"<sst {_S}>{''.join(f'<si>{text}</si>' for text in strings)}</sst>",
            **parts,
        }
    )


def row(number: int, *cells: str | float | tuple[str, int]) -> str:
    """A row: texts, numbers, and (number, cell style) pairs, from column A on. An empty text leaves its cell out."""
    found = ""
    for place, cell in enumerate(cells):
        name = f"{chr(ord('A') + place)}{number}"
        if isinstance(cell, tuple):
            found += f'<c r="{name}" s="{cell[1]}"><v>{cell[0]}</v></c>'
        elif isinstance(cell, str):
            found += f'<c r="{name}" t="inlineStr"><is><t>{cell}</t></is></c>' if cell else ""
        else:
            found += f'<c r="{name}"><v>{cell}</v></c>'
    return f'<row r="{number}">{found}</row>'


# PowerPoint


def shape(text: str, *, kind: str = "") -> str:
    """A text shape with a paragraph for each line; `kind` is the place of the layout it fills."""
    lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    place = f'<p:ph type="{kind}"/>' if kind else ""
    return f"<p:sp><p:nvSpPr><p:cNvPr id='1' name='x'/><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"


def presentation_file(slides: Sequence[str], *, notes: Mapping[int, str] | None = None) -> bytes:
    """A .pptx: the shapes of each slide as XML, and of its notes page by number of the slide (from 0)."""
    parts: dict[str, str] = {}
    for n, shapes in enumerate(slides):
        parts[f"ppt/slides/slide{n}.xml"] = f"<p:sld {_P}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        if notes and n in notes:
            parts[f"ppt/slides/_rels/slide{n}.xml.rels"] = relations({"rId1": ("notesSlide", f"../notesSlides/notes{n}.xml")})
            parts[f"ppt/notesSlides/notes{n}.xml"] = f"<p:notes {_P}><p:cSld><p:spTree>{notes[n]}</p:spTree></p:cSld></p:notes>"
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(len(slides)))
    return zipped(
        {
            "_rels/.rels": relations({"rId1": ("officeDocument", "ppt/presentation.xml")}),
            "ppt/presentation.xml": f"<p:presentation {_P} {_R}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations({f"rId{n}": ("slide", f"slides/slide{n}.xml") for n in range(len(slides))}),
            **parts,
        }
    )


# OpenDocument


def open_document_file(body: str, *, kind: str = "text", styles: str = "", manifest: str = "") -> bytes:
    """A .odt with this inside of its text; of the kind "spreadsheet" a .ods, of "presentation" a .odp."""
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": f"<manifest:manifest {_ODF}>{manifest}</manifest:manifest>",
            "content.xml": f"<office:document-content {_ODF}><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        }
    )


def open_cell(shown: str = "", *, value: str = "", attributes: str = "") -> str:
    """A cell of a .ods: a paragraph for each line that it shows, and its value as attributes ("office:value-type='float' office:value='4'")."""
    paragraphs = "".join(f"<text:p>{line}</text:p>" for line in shown.split("\n")) if shown else ""
    return f"<table:table-cell {value} {attributes}>{paragraphs}</table:table-cell>"


def open_row(*cells: str, attributes: str = "") -> str:
    """A row of a .ods: its cells as XML, or the texts of cells that hold no more."""
    made = "".join(cell if cell.startswith("<") else open_cell(cell) for cell in cells)
    return f"<table:table-row {attributes}>{made}</table:table-row>"


def open_workbook_file(sheets: Mapping[str, str], *, hidden: str = "", manifest: str = "") -> bytes:
    """A .ods: sheet name -> its rows as XML."""
    style = "<style:style style:name='H' style:family='table'><style:table-properties table:display='false'/></style:style>"
    body = "".join(
        f"<table:table table:name='{name}' table:style-name='{'H' if name == hidden else 'S'}'>{rows}</table:table>"
        for name, rows in sheets.items()
    )
    return open_document_file(body, kind="spreadsheet", styles=style, manifest=manifest)


def open_shape(text: str, *, kind: str = "", attributes: str = "") -> str:
    """A text box of a slide with a paragraph for each line; `kind` is the place of the layout it fills."""
    lines = "".join(f"<text:p>{line}</text:p>" for line in text.split("\n"))
    place = f"presentation:class='{kind}'" if kind else ""
    return f"<draw:frame {place} {attributes}><draw:text-box>{lines}</draw:text-box></draw:frame>"


def open_presentation_file(slides: Sequence[str], *, notes: Mapping[int, str] | None = None, manifest: str = "") -> bytes:
    """A .odp: the shapes of each slide as XML, and of its notes page by number of the slide (from 0)."""
    body = "".join(
        f"<draw:page draw:name='page{n}'>{shapes}<presentation:notes>{(notes or {}).get(n, '')}</presentation:notes></draw:page>"
        for n, shapes in enumerate(slides)
    )
    return open_document_file(body, kind="presentation", manifest=manifest)


# E-books


def book_file(pages: Mapping[str, str], *, title: str = "", extra: Mapping[str, str] | None = None) -> bytes:
    """An .epub: page name -> XHTML, in reading order."""
    items = "".join(f'<item id="p{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(pages))
    order = "".join(f'<itemref idref="p{n}"/>' for n in range(len(pages)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    return zipped(
        {
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
            "OPS/book.opf": package,
            **{f"OPS/{name}": page for name, page in pages.items()},
            **(extra or {}),
        }
    )


# PDF

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


_TURNED = ("1 0 0 1 0 0", "0 1 -1 0 842 0", "-1 0 0 -1 842 842", "0 -1 1 0 0 842")


def pdf_file(pages: Sequence[Sequence[tuple[float, float, float, str]]], *, password: str = "", drawn: int = 0, shown: int = 0) -> bytes:
    """A PDF with these lines on each page: distance from the left and from the bottom, size of the letters in points, and the text.

    Pages may be `drawn` by some quarter turns to the left, and `shown` turned to the right: with as many of both they are seen upright.
    """
    encryption = _Encryption(password) if password else None
    page_ids = range(7, 7 + 2 * len(pages), 2)
    objects: dict[int, bytes] = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(f'{id} 0 R' for id in page_ids)}]>>".encode(),
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        4: b"<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/Identity-H/DescendantFonts[5 0 R]/ToUnicode 6 0 R>>",
        5: b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Song/DW 1000/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
        b"/FontDescriptor<</Type/FontDescriptor/FontName/Song/Flags 4/FontBBox[0 -200 1000 800]/Ascent 800/Descent -200/ItalicAngle 0/StemV 80>>>>",
        6: _stream(
            b"/CIDInit/ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange<0000><FFFF>endcodespacerange "
            b"1 beginbfrange<0000><FFFF><0000>endbfrange endcmap end end",
            6,
            encryption,
        ),
    }
    for id, lines in zip(page_ids, pages, strict=True):
        objects[id] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {842 if drawn or shown else 595} 842]/Rotate {90 * shown}"
            f"/Resources<</Font<</L 3 0 R/C 4 0 R>>>>/Contents {id + 1} 0 R>>".encode()
        )
        content = [f"{_TURNED[drawn]} cm", *(_shown(*line) for line in lines)]
        objects[id + 1] = _stream("\n".join(content).encode("latin-1"), id + 1, encryption)
    trailer = f"/Root 1 0 R/Size {len(objects) + 1}" + (encryption.entry if encryption else "")
    found = bytearray(b"%PDF-1.4\n")
    offsets = {}
    for id, content in objects.items():
        offsets[id] = len(found)
        found += b"%d 0 obj\n%s\nendobj\n" % (id, content)
    start = len(found)
    found += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    found += b"".join(b"%010d 00000 n \n" % offsets[id] for id in sorted(objects))
    return bytes(found) + f"trailer<<{trailer}>>\nstartxref\n{start}\n%%EOF\n".encode()


def lines_down(
    texts: Sequence[str], *, left: float = 72, top: float = 760, step: float = 14, size: float = 11
) -> list[tuple[float, float, float, str]]:
    """The lines of a column for `pdf_file`."""
    return [(left, top - step * n, size, text) for n, text in enumerate(texts)]


def _shown(left: float, bottom: float, size: float, text: str) -> str:
    if text.isascii():
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        return f"BT /L {size} Tf {left} {bottom} Td ({escaped}) Tj ET"
    return f"BT /C {size} Tf {left} {bottom} Td <{text.encode('utf-16-be').hex()}> Tj ET"


def _stream(content: bytes, id: int, encryption: _Encryption | None) -> bytes:
    content = encryption.applied(content, id) if encryption else content
    return b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)


class _Encryption:
    """The oldest of PDF's own: RC4 with 40 bits."""

    def __init__(self, password: str) -> None:
        padded = (password.encode("latin-1") + _PADDING)[:32]
        owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
        file_id = b"0123456789abcdef"
        self._key = hashlib.md5(padded + owner + (0xFFFFFFFC).to_bytes(4, "little") + file_id).digest()[:5]
        user = _rc4(self._key, _PADDING)
        self.entry = f"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<{owner.hex()}>/U<{user.hex()}>>>/ID[<{file_id.hex()}><{file_id.hex()}>]"

    def applied(self, content: bytes, id: int) -> bytes:
        return _rc4(hashlib.md5(self._key + id.to_bytes(3, "little") + b"\0\0").digest()[:10], content)


def _rc4(key: bytes, content: bytes) -> bytes:
    box = list(range(256))
    j = 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    found = bytearray()
    i = j = 0
    for byte in content:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        found.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(found)
