"""How well follow-up questions are understood: what is found for them against what is found for the same question asked in full.

    python -m tests.quality.followups SET [SET ...] --home HOME [--half tune|report] [--model ID|FILE.gguf] [--show]

SET has `followups.jsonl` (`history`, `question`, `standalone_question`). Its index is where `tests.quality.retrieval` looks for it too:
in `HOME/NAME of the folder`, or in HOME itself. `SET=HOME` names the home of one set.

    recall@5   share of what each question needs (documents, or sentences where the set names them) among the first five passages
    kept       share of the questions asked in full that are left as they are, after a conversation about something else
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from core.cancel import CancelToken
from core.documents import Message, ScoredChunk
from core.protocols import ChatModel
from core.qa.nodes.retrieve import AS_TYPED
from core.qa.nodes.rewrite_question import standalone
from core.retrieval.hybrid import HybridRetriever
from core.settings import ModelSettings, Settings
from tests.quality.retrieval import PASSAGES, RememberedQueries, is_of, open_set, plain_text, query_vectors, rows
from tests.quality.set_reading import Half, chat_turns, half_of


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A follow-up with what was said before it, the same question asked in full, and what a right answer needs."""

    question: str
    history: tuple[Message, ...]
    in_full: str
    documents: frozenset[str]
    sentences: tuple[str, ...]


def followups(folder: Path, half: Half | None) -> list[FollowUp]:
    """The follow-ups of a set, or of one half of it."""
    found = []
    for row in rows(folder / "followups.jsonl"):
        if half and half_of(folder.name, str(row["id"])) != half:
            continue
        turns = tuple(Message(turn["role"], turn["content"]) for turn in chat_turns(row["history"]))  # type: ignore[arg-type]
        sentences: Sequence[Mapping[str, str]] = row.get("supporting_sentences", ())  # type: ignore[assignment]
        named: Sequence[str] = row["supporting"] if (folder / "docs").is_dir() else row.get("supporting_ids") or row["supporting"]  # type: ignore[assignment]
        found.append(
            FollowUp(
                str(row["question"]),
                turns,
                str(row["standalone_question"]),
                frozenset(named),
                tuple(plain_text(sentence["sentence"]) for sentence in sentences),
            )
        )
    return found


def recall(follow_up: FollowUp, passages: Sequence[ScoredChunk]) -> float:
    """Share of the needed sentences, or else documents, among the passages."""
    if follow_up.sentences:
        texts = [plain_text(item.chunk.text) for item in passages]
        return sum(any(sentence in text for text in texts) for sentence in follow_up.sentences) / len(follow_up.sentences)
    found = [name for name in follow_up.documents if any(is_of(item.chunk.path, name) for item in passages)]
    return len(found) / len(follow_up.documents)


def search(retriever: HybridRetriever, queries: Sequence[str]) -> Sequence[ScoredChunk]:
    """What the graph would find for these wordings; the second is the one that was typed."""
    weights = (1.0, AS_TYPED)[: len(queries)]
    return retriever.search_all(queries, k=PASSAGES, cancel=CancelToken(), weights=weights).passages


def share_kept(asked: Sequence[FollowUp], chat_model: ChatModel) -> float:
    """How many questions asked in full are left alone after a conversation about something else."""
    kept = 0
    for place, follow_up in enumerate(asked):
        other = asked[(place + len(asked) // 2) % len(asked)]
        kept += standalone(follow_up.in_full, other.history, chat_model, cancel=CancelToken()) == follow_up.in_full
    return kept / len(asked)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.quality.followups", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="+", metavar="SET[=HOME]")
    parser.add_argument("--home", type=Path, default=Path(), help="where the indexes are")
    parser.add_argument("--half", choices=("tune", "report"))
    parser.add_argument("--model", default="")
    parser.add_argument("--show", action="store_true", help="print every question and what became of it")
    parsed = parser.parse_args(arguments)
    out = sys.stdout
    settings = Settings(models=ModelSettings(chat_model=parsed.model))
    lines = ["| set | in full | as typed | rewritten | both | kept | seconds | follow-ups |", "|---|---|---|---|---|---|---|---|"]
    for text in parsed.sets:
        name, _, own_home = text.partition("=")
        folder, home = Path(name), Path(own_home) if own_home else parsed.home
        asked = followups(folder, parsed.half)
        if not asked:
            continue
        application = open_set(folder, home, settings)
        embedder = RememberedQueries(application.embedder, query_vectors(folder, home))
        retriever = HybridRetriever(application.index_store, embedder)
        sums: dict[str, float] = dict.fromkeys(("in full", "as typed", "rewritten", "both"), 0.0)
        seconds: list[float] = []
        try:
            for follow_up in asked:
                started = time.monotonic()
                rewritten = standalone(follow_up.question, follow_up.history, application.chat_model, cancel=CancelToken())
                seconds.append(time.monotonic() - started)
                wordings = {
                    "in full": (follow_up.in_full,),
                    "as typed": (follow_up.question,),
                    "rewritten": (rewritten,),
                    "both": (rewritten, follow_up.question),
                }
                found = {way: recall(follow_up, search(retriever, queries)) for way, queries in wordings.items()}
                for way, share in found.items():
                    sums[way] += share
                if parsed.show:
                    figures = " ".join(f"{share:.2f}" for share in found.values())
                    out.write(f"{figures}  {follow_up.question}  ->  {rewritten}  [{follow_up.in_full}]\n")
                    out.flush()
            kept = share_kept(asked, application.chat_model)
        finally:
            embedder.keep()
            application.close()
        figures = " | ".join(f"{total / len(asked):.3f}" for total in sums.values())
        lines.append(f"| {folder.name} | {figures} | {kept:.2f} | {median(seconds):.1f} | {len(asked)} |")
    out.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
