"""What kind of text a file holds, told from its name; its content has the last word."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Literal

from core.tables import TABLE_SUFFIXES

Kind = Literal[
    "prose", "markdown", "rst", "org", "asciidoc", "textile", "latex", "table", "code", "json", "records", "settings", "yaml", "log", "other"
]  # fmt: skip


def _suffixes(names: str) -> frozenset[str]:
    return frozenset(names.split())


_HTML = _suffixes(".html .htm .xhtml .shtml .xht")
_BY_KIND: Mapping[Kind, frozenset[str]] = {
    "markdown": _suffixes(".md .markdown .mdown .mkd .mdx .qmd .rmd"),
    "rst": _suffixes(".rst .rest"),
    "org": _suffixes(".org"),
    "asciidoc": _suffixes(".adoc .asciidoc"),
    "textile": _suffixes(".textile"),
    "latex": _suffixes(".tex .ltx"),
    "table": TABLE_SUFFIXES,
    "prose": _suffixes(".txt .text .bib .nfo .me .1st"),
    "json": _suffixes(".json .json5 .webmanifest .geojson"),
    "records": _suffixes(".jsonl .ndjson"),
    "settings": _suffixes(".toml .ini .cfg .conf .properties .env .editorconfig .service .desktop"),
    "yaml": _suffixes(".yaml .yml"),
    "log": _suffixes(".log"),
    "code": _suffixes(
        ".py .pyi .pyx .js .mjs .cjs .jsx .ts .tsx .vue .svelte .java .kt .kts .scala .groovy .gradle .c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cs .fs .vb"
        " .go .rs .swift .dart .rb .php .pl .pm .lua .r .jl .hs .lhs .ml .mli .clj .cljs .ex .exs .erl .elm .lisp .el .scm .sql .sh .bash .zsh .fish .ps1 .bat .cmd"
        " .asm .s .f .f90 .pas .ada .vhd .v .sv .proto .thrift .graphql .css .scss .sass .less .xml .xsd .xsl"
        " .cmake .mk .make .dockerfile .tf .nix .diff .patch .po .ts .qml .tcl .awk .sed .plist .svg .rss .atom .opml .fb2"
    ),
}
_KINDS: Mapping[str, Kind] = {suffix: kind for kind, suffixes in _BY_KIND.items() for suffix in suffixes}
# Formats whose text has to be taken out by a parser; `core/library/formats/reading.py` says which.
_TEXT_WITH_PARSER = _HTML | _suffixes(".srt .vtt .ass .ssa .sub .ipynb")
_DOCUMENTS = _TEXT_WITH_PARSER | _suffixes(
    ".docx .docm .dotx .dotm .xlsx .xlsm .xltx .xltm .pptx .pptm .ppsx .ppsm .potx .potm .odt .ott .ods .ots .odp .otp .epub .eml .pdf .rtf"
    # Office before 2007 and WPS. Not .pot: translators' templates are called that, too.
    " .doc .dot .wps .wpt .xls .xlt .et .ett .ppt .pps .dps .dpt"
)
# One file packed by itself: what is in it is told by the name without this ending.
_PACKED = ".gz"
# Formats that are not text. A folder is full of them, so they are told by name, without reading a byte.
_UNSUPPORTED = _suffixes(
    ".pages .xlsb .numbers .key .mobi .azw .azw3 .djvu .ps .eps .msg .mbox .pst"
    " .zip .tgz .bz2 .xz .zst .7z .rar .tar .jar .war .whl .egg .deb .rpm .dmg .iso .img .vmdk .apk .cab .msi"
    " .png .jpg .jpeg .gif .bmp .tif .tiff .webp .heic .avif .ico .icns .psd .ai .xcf .raw .cr2 .nef .dng"
    " .mp3 .wav .flac .ogg .oga .opus .m4a .aac .wma .mid .midi .mp4 .m4v .mkv .avi .mov .wmv .webm .flv .mpg .mpeg .3gp"
    " .ttf .otf .woff .woff2 .eot .exe .dll .so .dylib .a .o .obj .lib .class .pyc .pyo .pyd .wasm .bin .dat .pdb"
    " .db .sqlite .sqlite3 .mdb .accdb .parquet .feather .arrow .npy .npz .h5 .hdf5 .pkl .pickle .pt .pth .onnx .gguf .safetensors .tflite .mat .rds .rdata"
    " .blend .fbx .glb .stl .dwg .dxf .skp .swf .torrent .lnk .url"
)


def kind_of(path: PurePath) -> Kind:
    """The kind of text to expect; "other" says nothing is known from the name."""
    return _KINDS.get(path.suffix.lower(), "other")


def is_document(path: PurePath) -> bool:
    """Whether the name says that a parser has to take the text out, in a process of its own."""
    return path.suffix.lower() in _DOCUMENTS or is_packed(path)


def is_packed(path: PurePath) -> bool:
    """Whether the name says that this is one file, packed (`access.log.gz`)."""
    return path.suffix.lower() == _PACKED


def unpacked(path: PurePath) -> PurePath:
    """The name of what is packed."""
    return path.with_suffix("") if is_packed(path) else path


def may_choose_encoding(path: PurePath) -> bool:
    """Whether the file is text, so that a person may say in which encoding; other documents say it themselves."""
    inner = unpacked(path)
    return inner.suffix.lower() in _TEXT_WITH_PARSER or not (is_document(inner) or is_unsupported(inner))


def is_unsupported(path: PurePath) -> bool:
    """Whether the name already says that this is not text."""
    inner = unpacked(path)
    return inner.suffix.lower() in _UNSUPPORTED or (inner != path and is_packed(inner))
