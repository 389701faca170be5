"""The JSON of the command line: one object a line, with the words of `docs/command-line.md`. Add to it; change or remove nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.documents import (
    Answer,
    Citation,
    Document,
    Doubt,
    IndexedFile,
    IndexReport,
    Refusal,
    ScoredChunk,
    Step,
    SubQuestion,
    WebOutcome,
)
from core.events import (
    AnswerEvent,
    AnswerExpected,
    AnswerFinished,
    AnswerRestarted,
    AnswerText,
    EmbedderLoading,
    EmbedderReady,
    FileFinished,
    FileProgress,
    FileSearchable,
    FileStarted,
    IndexEvent,
    IndexFinished,
    IndexGoesOn,
    IndexHeld,
    IndexProgress,
    IndexStarted,
    StepFinished,
    StepStarted,
    WebConsentWanted,
)
from core.scope import Scope

Json = dict[str, Any]


def json_line(value: Json) -> str:
    """One line of JSON in the text's own script. A file name's undecodable bytes stay lone surrogates: the output escapes them."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def answer_event_json(event: AnswerEvent, answer_id: str | int | None = None) -> Json:
    """One event of an answer as it happens; the last one is the answer."""
    match event:
        case StepStarted(node):
            return {"event": "step_started", "node": node}
        case StepFinished(step, detail):
            return {"event": "step", **_step(step), "detail": _plain(detail)}
        case AnswerExpected(seconds):
            return {"event": "answer_expected", "seconds": round(seconds, 1)}
        case AnswerText(text, own_knowledge):
            return {"event": "text", "text": text, "own_knowledge": own_knowledge}
        case AnswerRestarted():
            return {"event": "restarted"}
        case WebConsentWanted(query):
            return {"event": "web_consent_wanted", "query": query}
        case AnswerFinished(answer):
            return answer_json(answer, answer_id)


def answer_json(answer: Answer, answer_id: str | int | None = None) -> Json:
    """The `answer` object of the contract.

    Additions to it: `short_answer`, `origin`, `own_knowledge`, `doubts`, `refusal`, `notes`, `interrupted`, `predicted_seconds`, `scope`, and in `web` the `citations` that point at pages.
    """
    return {
        "event": "answer",
        "id": answer_id,
        "question": answer.question,
        "standalone_question": answer.standalone_question,
        "strategy": answer.strategy,
        "route_reason": answer.route_reason,
        "answer": answer.text,
        "short_answer": answer.short_answer,
        "origin": answer.origin,
        "refused": answer.refused,
        "own_knowledge": answer.own_knowledge,
        "sub_questions": [_sub_question(item) for item in answer.sub_questions],
        "citations": [_file_citation(citation) for citation in answer.citations if citation.file is not None],
        "documents": [_evidence(found) for found in answer.documents],
        "web": _web(answer.web, [citation for citation in answer.citations if citation.file is None]),
        "evaluation": None
        if answer.evaluation is None
        else {
            "enough": answer.evaluation.enough,
            "missing": list(answer.evaluation.missing),
            "reason": answer.evaluation.reason,
            "confidence": answer.evaluation.confidence,
        },
        "judgement": None
        if answer.judgement is None
        else {
            "relevance": answer.judgement.relevance,
            "completeness": answer.judgement.completeness,
            "faithfulness": answer.judgement.faithfulness,
            "score": answer.judgement.score,
        },
        "doubts": [_doubt(answer.text, doubt) for doubt in answer.doubts],
        "refusal": None if answer.refusal is None else _refusal(answer.refusal),
        "limits_hit": list(answer.limits_hit),
        "notes": list(answer.notes),
        "steps": [_step(step) for step in answer.steps],
        "seconds_to_first_word": None if answer.seconds_to_first_word is None else round(answer.seconds_to_first_word, 3),
        "seconds": round(answer.seconds, 3),
        "predicted_seconds": None if answer.predicted_seconds is None else round(answer.predicted_seconds, 1),
        "model": answer.model,
        "embedder": answer.embedder,
        "interrupted": answer.interrupted,
        "scope": scope_json(answer.scope),
    }


def index_event_json(event: IndexEvent) -> Json:
    """One event of indexing as it happens; the last one is the report."""
    match event:
        case IndexStarted(total):
            return {"event": "index_started", "total": total}
        case FileStarted(path, done, total):
            return {"event": "file_started", "file": str(path), "done": done, "total": total}
        case FileSearchable(file, done, total):
            return {"event": "file_searchable", **indexed_file_json(file), "done": done, "total": total}
        case FileProgress(path, done, total):
            return {"event": "file_progress", "file": str(path), "done": done, "total": total}
        case IndexProgress(read, files, embedded, chunks):
            return {"event": "index_progress", "read": read, "files": files, "embedded": embedded, "chunks": chunks}
        case IndexHeld():
            return {"event": "index_held"}
        case IndexGoesOn():
            return {"event": "index_goes_on"}
        case EmbedderLoading():
            return {"event": "embedder_loading"}
        case EmbedderReady():
            return {"event": "embedder_ready"}
        case FileFinished(file, done, total):
            return {"event": "file", **indexed_file_json(file), "done": done, "total": total}
        case IndexFinished(report):
            return index_report_json(report)


def index_report_json(report: IndexReport) -> Json:
    """The `indexed` object of the contract."""
    return {
        "event": "indexed",
        "files": [indexed_file_json(file) for file in report.files],
        "chunks_per_second": round(report.chunks_per_second, 2),
        "seconds": round(report.seconds, 3),
    }


def passages_json(query: str, found: list[ScoredChunk], seconds: float) -> Json:
    """The `passages` object of the contract."""
    passages = [{**_evidence(item), "text": item.chunk.text} for item in found]
    return {"event": "passages", "query": query, "passages": passages, "seconds": round(seconds, 3)}


def scope_json(scope: Scope) -> Json | None:
    """What a search or a question was restricted to; None for the whole library."""
    if scope.is_everything:
        return None
    since, until = (None if day is None else day.isoformat() for day in (scope.since, scope.until))
    return {"paths": [str(path) for path in scope.paths], "since": since, "until": until}


def document_json(document: Document) -> Json:
    """A file of the library."""
    return {
        "file": str(document.path),
        "title": document.title,
        "state": document.state,
        "reason": document.reason,
        "encoding": document.encoding,
        "encoding_chosen": document.encoding_is_chosen,
        "chunks": document.chunk_count,
        "size_bytes": document.size_bytes,
    }


def _step(step: Step) -> Json:
    return {
        "node": step.node,
        "seconds": round(step.seconds, 3),
        "tokens_evaluated": step.usage.evaluated,
        "tokens_reused": step.usage.reused,
        "tokens_generated": step.usage.generated,
        "note": step.note,
    }


def _sub_question(item: SubQuestion) -> Json:
    return {"query": item.query, "answer": item.answer, "found": item.found, "error": item.error}


def _file_citation(citation: Citation) -> Json:
    return {
        "n": citation.n,
        "file": str(citation.file),
        "title": citation.title,
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
        "line": citation.line,
        "page": citation.page,
    }


def _doubt(text: str, doubt: Doubt) -> Json:
    return {"start": doubt.start, "end": doubt.end, "kind": doubt.kind, "text": text[doubt.start : doubt.end]}


def _refusal(refusal: Refusal) -> Json:
    return {
        "searched": list(refusal.searched),
        "closest": [{"n": passage.n, "why": passage.why} for passage in refusal.closest],
        "would_settle": refusal.would_settle,
    }


def _evidence(found: ScoredChunk) -> Json:
    chunk = found.chunk
    place: Json = {"file": str(chunk.path), "start": chunk.start, "end": chunk.end, "line": chunk.line, "page": chunk.page}
    return {**place, "score": found.score, "similarity": found.similarity}


def _web(outcome: WebOutcome, citations: list[Citation]) -> Json:
    return {
        "searched": outcome.searched,
        "query": outcome.query,
        "error": outcome.error,
        "results": [
            {"title": result.title, "url": result.url, "domain": result.domain, "published": result.published} for result in outcome.results
        ],
        "citations": [{"n": citation.n, "title": citation.title, "url": citation.url, "quote": citation.quote} for citation in citations],
    }


def indexed_file_json(file: IndexedFile) -> Json:
    """A file of an indexing report."""
    return {
        "file": str(file.path),
        "state": file.state,
        "reason": file.reason,
        "encoding": file.encoding,
        "chunks": file.chunks,
        "seconds": round(file.seconds, 3),
        "unchanged": file.unchanged,
    }


def _plain(value: object) -> Any:
    match value:
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case Path():
            return str(value)
        case str() | int() | float() | bool() | None:
            return value
        case _:
            return str(value)
