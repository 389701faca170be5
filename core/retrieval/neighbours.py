"""Evidence that grows: what a lookup found is appended, and chunks that follow each other in a file are shown as one passage.

Chunks are cut for searching, not for reading: the answer may begin in one and end in the next, a sentence may go on after the
border, and a row of a table may stand far below its column names. All of that is mended here, when the evidence is put together,
so the index stays small and the text of every passage stays an exact slice of its file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.documents import Chunk, ScoredChunk
from core.retrieval.budget import fit
from core.retrieval.slices import ReadText, overlaps, read_slice
from core.retrieval.whole_tables import with_table_header, with_whole_table
from core.tables import is_row

CountTokens = Callable[[str], int]

_GAP_CHARACTERS = 200
_SENTENCE_CHARACTERS = 400
_SENTENCE_END = re.compile(r"[。！？；…]+[」』”’）】》〉\"']*|[.!?]+[\"'”’)\]]*(?=\s|$)")
_ENDS_THOUGHT = re.compile(r"(?:[。！？；：…:.!?|][」』”’）】》〉\"')\]*_]*|[」』”’）】》〉\"')\]])$")


def grow_evidence(
    evidence: Sequence[ScoredChunk],
    found: Sequence[ScoredChunk],
    *,
    max_tokens: int,
    count_tokens: CountTokens,
    read: ReadText,
    overhead_tokens: int = 0,
) -> tuple[ScoredChunk, ...]:
    """The evidence with what one lookup found appended: `evidence` in its order and with its very texts, then the new passages.

    Of `found` (best first), what the evidence shows already is left out (a passage found again keeps the higher of its scores), and
    the rest is taken in its order as long as all texts together, each with `overhead_tokens` more, fit into `max_tokens`. Then chunks
    of this lookup that follow each other in a document become one passage in document order, at the place, with the id and with the
    scores of the best of them; a part of a table becomes the whole table if there is room, else rows without their column names get them
    as the last part of `heading_path`; and a sentence cut at a border is completed if there is room. Every text is exactly the document's slice `[start:end]`. Where `read` fails
    or the file was indexed anew meanwhile, the chunks stay as they were found.
    """
    known, new = list(evidence), list[ScoredChunk]()
    for item in found:
        place = next((n for n, other in enumerate(known) if _covers(other.chunk, item.chunk)), None)
        if place is not None:
            known[place] = _with_scores_of(known[place], item)
        elif not any(_covers(other.chunk, item.chunk) for other in new):
            new.append(_unseen_part(item, evidence))
    spent = sum(count_tokens(item.chunk.text) + overhead_tokens for item in known)
    kept = fit(new, max_tokens=max_tokens - spent, count_tokens=count_tokens, overhead_tokens=overhead_tokens)
    room = max_tokens - spent - sum(count_tokens(item.chunk.text) + overhead_tokens for item in kept)
    passages = join(kept, read)
    for passage in list(passages):
        if passage in passages:  # none of an earlier one's table
            passages, cost = with_whole_table(passage, passages, known, read, count_tokens, room=room)
            room -= cost
    for n, passage in enumerate(passages):
        whole = _with_whole_sentences(passage, [*known, *passages], read)
        cost = count_tokens(whole.chunk.text) - count_tokens(passage.chunk.text) if whole is not passage else 0
        if cost <= room:
            passages[n] = whole
            room -= cost
    return (*known, *(with_table_header(passage, read) for passage in passages))


def join(passages: Sequence[ScoredChunk], read: ReadText) -> list[ScoredChunk]:
    """Passages that follow each other in the same document, with only white space between them, as one.

    A joined passage stands where the first of its parts stood in `passages`, and has the id and the heading of that part.
    """
    joined = list(passages)
    merged = True
    while merged:
        merged = False
        for n, first in enumerate(joined):
            for m, second in enumerate(joined):
                whole = _joined(first, second, read, better=min(n, m) == n) if n != m else None
                if whole is not None:
                    joined[min(n, m)] = whole
                    del joined[max(n, m)]
                    merged = True
                    break
            if merged:
                break
    return joined


def _joined(first: ScoredChunk, second: ScoredChunk, read: ReadText, *, better: bool) -> ScoredChunk | None:
    """`first` and `second` as one passage if `second` begins where `first` ends. `better` says whose id and heading it has."""
    before, after = first.chunk, second.chunk
    if before.document_id != after.document_id or not 0 <= after.start - before.end <= _GAP_CHARACTERS:
        return None
    gap = read_slice(read, before.document_id, before.end, after.start)
    if gap is None or gap.strip():
        return None
    best = before if better else after
    pages = tuple(sorted({*before.page_starts, *after.page_starts}, key=lambda known: known.start))
    whole = replace(best, start=before.start, end=after.end, line=before.line, text=before.text + gap + after.text, page_starts=pages)
    return _with_scores_of(replace(first, chunk=whole), second)


def _covers(passage: Chunk, chunk: Chunk) -> bool:
    if passage.id == chunk.id:
        return True
    offset = chunk.start - passage.start
    inside = passage.document_id == chunk.document_id and offset >= 0 and chunk.end <= passage.end
    return inside and passage.text[offset : offset + len(chunk.text)] == chunk.text


def _unseen_part(item: ScoredChunk, evidence: Sequence[ScoredChunk]) -> ScoredChunk:
    """A chunk without the sentence at its border that an earlier passage shows already."""
    chunk = item.chunk
    for shown in (other.chunk for other in evidence):
        if shown.document_id != chunk.document_id:
            continue
        if shown.start < chunk.start < shown.end < chunk.end and chunk.text.startswith(shown.text[chunk.start - shown.start :]):
            chunk = _part(chunk, shown.end, chunk.end)
        elif chunk.start < shown.start < chunk.end < shown.end and chunk.text.endswith(shown.text[: chunk.end - shown.start]):
            chunk = _part(chunk, chunk.start, shown.start)
    return item if chunk is item.chunk else replace(item, chunk=chunk)


def _part(chunk: Chunk, start: int, end: int) -> Chunk:
    text = chunk.text[start - chunk.start : end - chunk.start]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    line = chunk.line + chunk.text.count("\n", 0, start - chunk.start)
    return replace(chunk, start=start, end=start + len(text), line=line, text=text)


def _with_scores_of(item: ScoredChunk, other: ScoredChunk) -> ScoredChunk:
    similarities = [value for value in (item.similarity, other.similarity) if value is not None]
    return replace(item, score=max(item.score, other.score), similarity=max(similarities, default=None))


def _with_whole_sentences(item: ScoredChunk, shown: Sequence[ScoredChunk], read: ReadText) -> ScoredChunk:
    """`item`, longer by what is missing of the sentences at its borders, but never into text that is shown anyway."""
    chunk = item.chunk
    before = read_slice(read, chunk.document_id, max(0, chunk.start - _SENTENCE_CHARACTERS), chunk.start) or ""
    after = read_slice(read, chunk.document_id, chunk.end, chunk.end + _SENTENCE_CHARACTERS) or ""
    start = chunk.start - _missing_before(before, chunk.text)
    end = chunk.end + _missing_after(chunk.text, after)
    if any(other.chunk is not chunk and overlaps(other.chunk, chunk.document_id, start, end) for other in shown):
        return item
    if (start, end) == (chunk.start, chunk.end):
        return item
    text = before[len(before) - (chunk.start - start) :] + chunk.text + after[: end - chunk.end]
    line = chunk.line - text[: chunk.start - start].count("\n")
    return replace(item, chunk=replace(chunk, start=start, end=end, line=line, text=text))


def _missing_after(text: str, after: str) -> int:
    """How many characters of `after` belong to the sentence that `text` ends in the middle of."""
    if not _goes_on(text, after):
        return 0
    paragraph = re.search(r"\n\s*\n", after)
    limit = paragraph.start() if paragraph else len(after)
    end = _SENTENCE_END.search(after, 0, limit)
    if end:
        return end.end()
    # The end of the paragraph ends the sentence too; without either, there is too much of it.
    return len(after[:limit].rstrip()) if paragraph or len(after) < _SENTENCE_CHARACTERS else 0


def _missing_before(before: str, text: str) -> int:
    """How many characters at the end of `before` belong to the sentence that `text` begins in the middle of."""
    if not before.strip() or not _goes_on(before.rstrip(), before[len(before.rstrip()) :] + text):
        return 0
    starts = [0] if len(before) < _SENTENCE_CHARACTERS else []
    starts += [found.end() for found in _SENTENCE_END.finditer(before)]
    starts += [found.end() for found in re.finditer(r"\n\s*\n", before)]
    starts = [start for start in starts if before[start:].strip()]
    if not starts:
        return 0
    start = max(starts)
    return len(before[start:].lstrip())


def _goes_on(text: str, after: str) -> bool:
    """Whether a sentence that `text` ends with goes on in `after`: no end in sight, and what follows is no new line of its own."""
    following = after.lstrip()
    gap = after[: len(after) - len(following)]
    if not following or gap.count("\n") > 1 or _ENDS_THOUGHT.search(text):
        return False
    last_line = text.rsplit("\n", 1)[-1]
    if is_row(last_line) or last_line.lstrip().startswith("#"):
        return False
    return "\n" not in gap or following[0].islower() or text.endswith(("，", "、", "；"))
