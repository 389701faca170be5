"""The reference `published`: the pipelines as articles about them describe it, to measure ours against.

One chat completion for each of route, decompose, plan, evaluate and generate, with the node's JSON schema as the grammar of
its reply; the whole prompt is built anew for every node; all evidence is sorted by score again in every round; at most 8 rounds.
No cache of its own, no logits, no stepwise lookups. What the plain `llama_cpp.Llama` reuses of its last call is counted as reused.

    lamplight eval --pipeline published --docs ... --questions ... --out ...
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, Field, ValidationError

from core.cancel import CancelToken
from core.documents import Answer, Citation, Evaluation, Message, ScoredChunk, Step, SubQuestion, Usage
from core.protocols import Retriever
from desktop.assembly import Application

MAX_ROUNDS = 8
CHUNKS_PER_ROUND = 4
TOKENS_KEPT_FREE = 1200
ReplyT = TypeVar("ReplyT", bound=BaseModel)


class Route(BaseModel):
    strategy: Literal["simple", "complex"]
    reason: str


class Decomposition(BaseModel):
    sub_questions: list[str] = Field(min_length=1, max_length=8)


class Plan(BaseModel):
    next_action: Literal["retrieve", "generate"]
    reason: str


class Sufficiency(BaseModel):
    enough: bool
    missing: list[str] = Field(max_length=6)
    reason: str


class Generation(BaseModel):
    answer: str


ROUTE = """Decide how to answer the question.
"simple": general knowledge, arithmetic, a greeting, writing, translating or programming; no document is needed.
"complex": facts, people, events, policies or figures that must be looked up in the user's documents.
Reply in JSON with "strategy" and "reason"."""
DECOMPOSE = """Split the question into 1 to 8 ordered sub-questions for a document search. Each must be searchable alone, with full names and no pronouns.
Reply in JSON with "sub_questions"."""
PLAN = """You control a document search. Given the question, the sub-questions and the passages found so far, decide whether to search for the next
sub-question ("retrieve") or to write the answer ("generate"). Reply in JSON with "next_action" and "reason"."""
EVALUATE = (
    """Judge whether the passages are enough to answer the question completely. Reply in JSON with "enough", "missing" and "reason"."""
)
GENERATE = """Answer the question from the passages, in the language of the question. Put the number of the passage, like [1], after each claim.
If the passages do not say, say so. Reply in JSON with "answer"."""
DIRECT = """Answer the question in its own language, shortly. Reply in JSON with "answer"."""


@dataclass(frozen=True)
class Completion:
    """What one chat completion wrote, and what it cost."""

    text: str
    usage: Usage


class Complete(Protocol):
    """One chat completion under a JSON schema."""

    def __call__(self, system: str, user: str, schema: dict[str, Any], *, max_tokens: int, cancel: CancelToken) -> Completion: ...


class PublishedPipeline:
    """Answers one question at a time. `count_tokens` keeps the prompt inside `context_tokens`."""

    def __init__(
        self,
        complete: Complete,
        retriever: Retriever,
        *,
        count_tokens: Callable[[str], int],
        context_tokens: int,
        model: str,
        embedder: str,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._complete = complete
        self._retriever = retriever
        self._count_tokens = count_tokens
        self._context_tokens = context_tokens
        self._model = model
        self._embedder = embedder
        self.close = close

    def ask(self, question: str, *, history: Sequence[Message] = (), cancel: CancelToken) -> Answer:
        """Answer `question`; the turns before it are part of every prompt."""
        run = _Run(self, question, history, cancel)
        return run.answer(self._model, self._embedder)

    def complete(
        self, system: str, user: str, reply_type: type[ReplyT], max_tokens: int, cancel: CancelToken
    ) -> tuple[ReplyT | None, Usage]:
        """A reply of the type, or None where what was written does not fit it."""
        completion = self._complete(system, user, reply_type.model_json_schema(), max_tokens=max_tokens, cancel=cancel)
        try:
            return reply_type.model_validate(json.loads(completion.text, strict=False)), completion.usage
        except (ValueError, ValidationError):
            return None, completion.usage

    def search(self, query: str, cancel: CancelToken) -> list[ScoredChunk]:
        """The best passages for one sub-question."""
        return self._retriever.search(query, k=CHUNKS_PER_ROUND, cancel=cancel)

    def fitting(self, documents: Sequence[ScoredChunk]) -> list[ScoredChunk]:
        """The best passages that fit beside the instructions and the reply."""
        left = self._context_tokens - TOKENS_KEPT_FREE
        kept = []
        for found in documents:
            left -= self._count_tokens(found.chunk.text) + 12
            if left < 0:
                break
            kept.append(found)
        return kept


class _Run:
    """One question on its way through the nodes."""

    def __init__(self, pipeline: PublishedPipeline, question: str, history: Sequence[Message], cancel: CancelToken) -> None:
        self._pipeline = pipeline
        self._question = question
        self._history = "".join(f"{message.role}: {message.content}\n" for message in history[-8:])
        self._cancel = cancel
        self._started = time.monotonic()
        self._steps: list[Step] = []
        self._notes: list[str] = []
        self._documents: dict[int, ScoredChunk] = {}

    def answer(self, model: str, embedder: str) -> Answer:
        route = self._node("route_question", ROUTE, self._asked(), Route, 128)
        # An unusable reply takes the safe branch.
        if route is not None and route.strategy == "simple":
            reply = self._node("direct_answer", DIRECT, self._asked(), Generation, 512)
            return self._finished(reply, "simple", route.reason, [], None, False, model, embedder)

        split = self._node("decompose_question", DECOMPOSE, self._asked(), Decomposition, 384)
        planned = list(dict.fromkeys(item.strip() for item in (split.sub_questions if split else []) if item.strip())) or [self._question]
        searched, rounds_left = self._search_in_rounds(planned)
        sufficiency = self._node("evaluate_context", EVALUATE, self._with_evidence(), Sufficiency, 256)
        evaluation = Evaluation(sufficiency.enough, tuple(sufficiency.missing), sufficiency.reason) if sufficiency else None
        generation = self._node("generate_answer", GENERATE, self._with_evidence(), Generation, 512)
        reason = route.reason if route else "the reply could not be used"
        return self._finished(generation, "complex", reason, searched, evaluation, rounds_left == 0, model, embedder)

    def _search_in_rounds(self, planned: list[str]) -> tuple[list[SubQuestion], int]:
        searched: list[SubQuestion] = []
        rounds_left = MAX_ROUNDS
        while rounds_left and len(searched) < len(planned):
            searched.append(self._retrieve(planned[len(searched)]))
            rounds_left -= 1
            progress = "".join(f"{'searched' if at < len(searched) else 'not yet'}: {item}\n" for at, item in enumerate(planned))
            plan = self._node("plan_next_step", PLAN, f"{self._with_evidence()}\nSub-questions:\n{progress}", Plan, 128)
            if plan is not None and plan.next_action == "generate":
                break
        return searched, rounds_left

    def _retrieve(self, query: str) -> SubQuestion:
        started = time.monotonic()
        found = self._pipeline.search(query, self._cancel)
        new = [item for item in found if item.chunk.id not in self._documents]
        for item in found:
            known = self._documents.get(item.chunk.id)
            if known is None or item.score > known.score:
                self._documents[item.chunk.id] = item
        self._steps.append(Step("retrieve", time.monotonic() - started))
        return SubQuestion(query, found=len(new))

    def _node(self, node: str, system: str, user: str, reply_type: type[ReplyT], max_tokens: int) -> ReplyT | None:
        self._cancel.check()
        started = time.monotonic()
        reply, usage = self._pipeline.complete(system, user, reply_type, max_tokens, self._cancel)
        self._steps.append(Step(node, time.monotonic() - started, usage, "" if reply else "unusable reply"))
        if reply is None:
            self._notes.append(f"{node}_unusable")
        return reply

    def _evidence(self) -> list[ScoredChunk]:
        return self._pipeline.fitting(sorted(self._documents.values(), key=lambda found: -found.score))

    def _asked(self) -> str:
        return f"{'Conversation so far:' if self._history else ''}\n{self._history}\nQuestion: {self._question}".strip()

    def _with_evidence(self) -> str:
        passages = "\n\n".join(
            f"[{number}] {found.chunk.context}\n{found.chunk.text}" for number, found in enumerate(self._evidence(), start=1)
        )
        return f"Passages:\n{passages or '(none)'}\n\n{self._asked()}"

    def _finished(
        self,
        generation: Generation | None,
        strategy: str,
        reason: str,
        searched: list[SubQuestion],
        evaluation: Evaluation | None,
        out_of_rounds: bool,
        model: str,
        embedder: str,
    ) -> Answer:
        text = generation.answer.strip() if generation else ""
        evidence = self._evidence()
        citations = [
            Citation(number, found.chunk.text, found.chunk.path, found.chunk.title, found.chunk.start, found.chunk.end, found.chunk.line)
            for number, found in enumerate(evidence, start=1)
            if f"[{number}]" in text
        ]
        seconds = time.monotonic() - self._started
        return Answer(
            question=self._question,
            standalone_question=self._question,
            strategy=strategy,
            route_reason=reason,
            text=text,
            origin="model" if strategy == "simple" else "files",
            refused=False,
            sub_questions=tuple(searched),
            citations=tuple(citations),
            documents=tuple(evidence),
            evaluation=evaluation,
            limits_hit=("max_retrievals",) if out_of_rounds else (),
            notes=tuple(self._notes),
            steps=tuple(self._steps),
            # The reply is JSON: nothing can be shown before it is whole.
            seconds_to_first_word=seconds,
            seconds=seconds,
            model=model,
            embedder=embedder,
        )


class PlainLlama:
    """`llama_cpp.Llama` in this process, as the articles use it."""

    def __init__(self, model_file: str, *, context_tokens: int, threads: int | None) -> None:
        import llama_cpp

        self._llama = llama_cpp.Llama(model_file, n_ctx=context_tokens, n_threads=threads, n_threads_batch=threads, verbose=False)

    def __call__(self, system: str, user: str, schema: dict[str, Any], *, max_tokens: int, cancel: CancelToken) -> Completion:
        before = self._llama.input_ids[: self._llama.n_tokens].tolist()
        pieces: list[str] = []
        generated = 0
        parts: Any = self._llama.create_chat_completion(
            [{"role": "system", "content": system}, {"role": "user", "content": user}],
            response_format={"type": "json_object", "schema": schema},
            temperature=0.0,
            max_tokens=max_tokens,
            stream=True,
        )
        for part in parts:
            cancel.check()
            content = part["choices"][0]["delta"].get("content")
            if content is not None:
                pieces.append(content)
                generated += 1
        after = self._llama.input_ids[: self._llama.n_tokens].tolist()
        evaluated_at_all = max(len(after) - generated, 0)
        reused = min(_common(before, after), evaluated_at_all)
        return Completion("".join(pieces), Usage(evaluated_at_all - reused, reused, generated))

    def count_tokens(self, text: str) -> int:
        return len(self._llama.tokenize(text.encode(), add_bos=False))

    def close(self) -> None:
        self._llama.close()


def _common(before: Sequence[int], after: Sequence[int]) -> int:
    """How many leading tokens two runs share: what `Llama.generate` keeps of its last call."""
    shared = 0
    for left, right in zip(before, after, strict=False):
        if left != right:
            break
        shared += 1
    return shared


def open_pipeline(application: Application) -> PublishedPipeline:
    """The reference over the same model file, files and index that the application uses."""
    from models.catalog import locate_chat_model
    from models.machine import default_threads

    settings = application.settings.models
    model_file = locate_chat_model(settings, application.model_paths)
    llama = PlainLlama(str(model_file), context_tokens=settings.context_tokens, threads=settings.threads or default_threads())
    return PublishedPipeline(
        llama,
        application.retriever,
        count_tokens=llama.count_tokens,
        context_tokens=settings.context_tokens,
        model=application.chat_model.model_id,
        embedder=application.embedder.model_id,
        close=llama.close,
    )
