"""How well and how fast a model decides whether a question needs the files: the real node, the real model, 200 labelled questions.

    python -m tests.quality.routing [--model ID|FILE.gguf] [--home HOME] [--limit N] [--published N] [--out LINES.jsonl]

Both halves are shown apart; thresholds and prompts may be chosen with `tune` only. `--published N` also asks the reference pipeline the first N
questions of the reported half (seconds each), after the others.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from langgraph.runtime import Runtime

from core.cancel import CancelToken
from core.errors import LamplightError
from core.paths import Paths
from core.qa.context import QAContext
from core.qa.limits import LIMITS, Meter, MeteredChatModel
from core.qa.nodes.route_question import route_question
from core.qa.state import initial_state
from core.settings_file import load_settings
from desktop.assembly import Application, assemble
from desktop.start_options import options_of
from tests.quality.published import ROUTE, Route, open_pipeline
from tests.quality.report import commit, machine
from tests.quality.scores import auc, percentile
from tests.quality.set_reading import half_of

QUESTIONS = Path(__file__).parent / "routing_questions.jsonl"
_WARM_UP = ("Shall we begin?", "我们开始吗？")


@dataclass(frozen=True, slots=True)
class RoutingQuestion:
    """A question and whether it needs the person's files."""

    id: str
    question: str
    label: Literal["files", "general"]
    lang: str

    @property
    def half(self) -> str:
        return half_of(QUESTIONS.stem, self.id)


@dataclass(frozen=True, slots=True)
class Routed:
    """One decision. `probability` of needing the files is None where the pipeline has none."""

    asked: RoutingQuestion
    strategy: str
    probability: float | None
    seconds: float
    reason: str
    pipeline: str = "full"

    @property
    def right(self) -> bool:
        return (self.strategy == "simple") == (self.asked.label == "general")


def read_routing_questions(file: Path = QUESTIONS) -> list[RoutingQuestion]:
    """Every question, in the order of the file, in which languages and labels are mixed."""
    return [RoutingQuestion(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def routed(application: Application, questions: Iterable[RoutingQuestion]) -> Iterator[Routed]:
    """Ask the node, after one question of each language that is not counted: it pays for loading and for the shared beginning of the prompt."""
    for text in _WARM_UP:
        _decide(application, RoutingQuestion("", text, "general", ""))
    for question in questions:
        yield _decide(application, question)


def _decide(application: Application, asked: RoutingQuestion) -> Routed:
    settings = application.settings
    meter = Meter(LIMITS[settings.answers.budget])
    context = QAContext(
        chat_model=MeteredChatModel(application.chat_model, meter),
        retriever=application.retriever,
        web_search=application.web_search,
        consent=None,
        web_mode="off",
        own_knowledge=False,
        thresholds=application.models.thresholds(),
        meter=meter,
        cancel=CancelToken(),
    )
    state = initial_state(asked.question, (), "full", settings.answers.max_retrievals)
    started = time.monotonic()
    found = route_question(state, Runtime(context=context))
    seconds = time.monotonic() - started
    return Routed(asked, found["strategy"], found.get("files_probability"), seconds, found["route_reason"])


def routed_as_published(application: Application, questions: Iterable[RoutingQuestion]) -> Iterator[Routed]:
    """The same decision as articles ask for it: a completion under a JSON grammar. An unusable reply takes the files."""
    pipeline = open_pipeline(application)
    try:
        for warm_up in (True, False):
            for question in list(questions)[: 1 if warm_up else None]:
                started = time.monotonic()
                reply, _ = pipeline.complete(ROUTE, f"Question: {question.question}", Route, 128, CancelToken())
                seconds = time.monotonic() - started
                if not warm_up:
                    strategy = reply.strategy if reply else "complex"
                    yield Routed(question, strategy, None, seconds, reply.reason if reply else "unusable", "published")
    finally:
        pipeline.close()


def table(results: Sequence[Routed]) -> str:
    """Markdown: a row for each pipeline and half."""
    rows = [
        "| pipeline | half | questions | route right | en | zh | wrongly simple | wrongly complex | AUC | seconds p50 | p90 |",
        "|---" * 11 + "|",
    ]
    for pipeline in dict.fromkeys(one.pipeline for one in results):
        for half in ("tune", "report"):
            part = [one for one in results if one.pipeline == pipeline and one.asked.half == half]
            if part:
                rows.append("| " + " | ".join((pipeline, half, *_cells(part))) + " |")
    return "\n".join(rows)


def _cells(part: Sequence[Routed]) -> Iterator[str]:
    yield str(len(part))
    yield _share(part)
    yield _share([one for one in part if one.asked.lang == "en"])
    yield _share([one for one in part if one.asked.lang == "zh"])
    yield str(sum(not one.right and one.strategy == "simple" for one in part))
    yield str(sum(not one.right and one.strategy != "simple" for one in part))
    sides = [
        [one.probability for one in part if one.probability is not None and one.asked.label == label] for label in ("files", "general")
    ]
    ranked = auc([p for p in sides[0] if p is not None], [p for p in sides[1] if p is not None])
    yield "–" if ranked is None else f"{ranked:.3f}"
    for share in (50, 90):
        yield f"{percentile([one.seconds for one in part], share):.3f}"


def _share(part: Sequence[Routed]) -> str:
    return f"{sum(one.right for one in part) / len(part):.3f}" if part else "–"


@contextmanager
def open_application(home: Path | None, model: str | None) -> Iterator[Application]:
    """The app over a home, or over a new one that is deleted afterwards, with the models of the tree."""
    with tempfile.TemporaryDirectory() as folder:
        paths = Paths((home or Path(folder)).absolute())
        said = options_of(argparse.Namespace(model=model, embedder=None, web="off", budget=None))
        application = assemble(paths, said.applied_to(load_settings(paths)[0]))
        try:
            yield application
        finally:
            application.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exit code 1, with a sentence, when the model cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.quality.routing", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--home", type=Path)
    parser.add_argument("--model")
    parser.add_argument("--half", choices=("tune", "report"))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--published", type=int, default=0, metavar="N")
    parser.add_argument("--out", type=Path)
    parsed = parser.parse_args(arguments)
    questions = [one for one in read_routing_questions() if parsed.half in (None, one.half)][: parsed.limit]
    try:
        with open_application(parsed.home, parsed.model) as application:
            results = list(routed(application, questions))
            thresholds, model = application.models.thresholds(), application.chat_model.model_id
        if parsed.published:
            # The reference loads the weights itself: not both at once.
            with open_application(parsed.home, parsed.model) as application:
                reported = [one for one in read_routing_questions() if one.half == "report"][: parsed.published]
                results += routed_as_published(application, reported)
    except LamplightError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    if parsed.out:
        lines = [json.dumps(asdict(one) | {"half": one.asked.half, "right": one.right}, ensure_ascii=False) + "\n" for one in results]
        parsed.out.write_text("".join(lines), encoding="utf-8")
    sys.stdout.write(f"{table(results)}\n\n- machine: {machine()}\n- commit: {commit()}\n- model: {model}\n")
    sys.stdout.write(f"- threshold: {thresholds.files:.3f}, {'calibrated for it' if thresholds.calibrated else 'not calibrated'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
