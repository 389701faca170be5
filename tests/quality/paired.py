"""The same questions in several languages over the same files: does the search find their passages equally well?

    python -m tests.quality.paired --home HOME [--questions FILE --docs FOLDER ...]

Our own are in `paired_questions.jsonl`: 50 questions in English, Chinese and Japanese over the sample library and the files of `graph_questions`, 16 of
them English and 10 Chinese; everything lies in one library. A file of one's own has lines with `id`, `supporting` (names of files) and a question
under `en`, `zh` and any other language. Printed is recall@1 and recall@5 of the files, for each language of the question, and apart for questions asked
in the language of their file and in another.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.cancel import CancelToken
from core.paths import Paths
from core.settings import Settings
from desktop.assembly import assemble
from tests.quality.retrieval import Found, Lookup, RememberedQueries, Search, measure, rows, ways

HERE = Path(__file__).parent
OWN_QUESTIONS = HERE / "paired_questions.jsonl"
OWN_DOCS = (HERE.parents[1] / "resources" / "sample_library", HERE / "graph_questions" / "docs")
LANGUAGES = ("en", "zh", "ja")

_HAN = re.compile("[\\u4e00-\\u9fff]")


@dataclass(frozen=True, slots=True)
class Pair:
    """One question in several languages, and the files (by their names) that have its answer."""

    asked: Mapping[str, str]
    documents: frozenset[str]

    @property
    def file_language(self) -> str:
        """`zh` where its files have Chinese names, as ours do if they are Chinese, else `en`."""
        return "zh" if any(_HAN.search(name) for name in self.documents) else "en"


def pairs(file: Path) -> list[Pair]:
    """The questions of a file."""
    found = []
    for row in rows(file):
        named = row["supporting"]
        assert isinstance(named, list)
        asked = {language: str(row[language]) for language in LANGUAGES if language in row}
        found.append(Pair(asked, frozenset(map(str, named))))
    return found


def compare(asked: Sequence[Pair], search: Search) -> dict[tuple[str, str], Found]:
    """The figures by language of the question, and by `all`, `own` (the language of its files) and `other`."""
    found = {}
    for language in LANGUAGES:
        of_language = [pair for pair in asked if language in pair.asked]
        for which, chosen in (
            ("all", of_language),
            ("own", [pair for pair in of_language if pair.file_language == language]),
            ("other", [pair for pair in of_language if pair.file_language != language]),
        ):
            if chosen:
                found[language, which] = measure([Lookup(pair.asked[language], pair.documents) for pair in chosen], search)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.quality.paired", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--questions", type=Path, default=OWN_QUESTIONS)
    parser.add_argument("--docs", type=Path, nargs="+", default=OWN_DOCS)
    parsed = parser.parse_args(arguments)
    application = assemble(Paths(parsed.home), Settings())
    embedder = RememberedQueries(application.embedder, parsed.home / "query_vectors.npz")
    sys.stdout.write("| search | question | files | recall@1 | recall@5 | questions |\n|---|---|---|---|---|---|\n")
    try:
        for _ in application.library.index(CancelToken(), list(parsed.docs)):
            pass
        asked = pairs(parsed.questions)
        for name, search in ways(application.index_store, embedder, []).items():
            for (language, which), figures in compare(asked, search).items():
                row = f"{figures.recall_first:.3f} | {figures.recall:.3f} | {figures.lookups}"
                sys.stdout.write(f"| {name} | {language} | {which} | {row} |\n")
    finally:
        embedder.keep()
        application.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
