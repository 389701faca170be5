"""index.db: documents, their text, chunks, words and vectors. Everything in it can be made again from the person's files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import apsw
import numpy as np

from core.cancel import CancelToken
from core.documents import Chunk, Document, DocumentState, PageStart
from core.errors import IndexDamaged, NotFound
from core.protocols import Vectors
from core.scope import EVERYTHING, Scope
from core.store.candidates import Candidates
from core.store.codes import centre_of
from core.store.connection import Database, damaged_copy, fetch_all
from core.store.index_check import IndexCounts, count_index
from core.store.index_documents import begin_removal, documents_within, knows_path, put_without_text, remove_piece, replace_text
from core.store.index_schema import BEGINNINGS, MIGRATIONS
from core.store.index_search import chunk_ids_of, nearest_of_all, ranked_by_words, similarities_of
from core.store.index_texts import BLOCK_CHARACTERS, read_chunks, text_samples, text_slice
from core.store.index_vectors import (
    count_missing,
    finish,
    insert_missing,
    missing_vectors,
    slot_for_writing,
    slot_of,
    vectors_by_content,
    vectors_by_key,
)
from core.store.index_words import close_holes, ensure_words_version, has_todays_words, words_have_holes
from core.store.records import ChunkSpan, FileFacts, KnownVector, MadeVector, MissingVector
from core.store.storable import storable
from core.store.takeover import answering_embedder, may_take_over, place_of, remember_place, take_over
from core.store.unit_vectors import unit, unit_rows

MAX_RESULTS = 4096
"""sqlite-vec answers no more than this many neighbours at once."""

Content = tuple[str, str, int, int]
"""SHA-256 of a file's bytes, its encoding, and where in its text a chunk starts and ends."""

# Another writer looks ten times a second whether it is its turn.
_OTHERS_TURN_SECONDS = 0.12


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document, which model its vectors come from ("" if it has none), when its content was last compared, and by which rules it was read.

    One that waits and has chunks is found by its words; some of its vectors, or all, are still to be made.
    """

    document: Document
    embedder_id: str
    checked_ns: int
    reader_version: int


class IndexStore:
    """index.db. One thread writes, any number read at the same time; nothing is opened before the first call.

    Every call may raise `IndexDamaged`, `StoreLocked` or `NotEnoughDisk`. After `IndexDamaged`, `rebuild` starts an empty index.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._candidates = Candidates()
        self._database = Database(
            path, name="The index of your files", migrations=MIGRATIONS, damaged=IndexDamaged, synchronous="normal", with_vectors=True
        )

    def close(self) -> None:
        """Close the file. The next call opens it again."""
        self._database.close()

    def rebuild(self) -> Path | None:
        """Put the file aside and start an empty index. Returns where the old file is now, if there was one."""
        self._candidates = Candidates()
        return self._database.move_aside()

    def delete_damaged_copy(self) -> None:
        """Delete the index that `rebuild` put aside, with all the text in it. One that is in use elsewhere stays for the next time."""
        with suppress(OSError):
            damaged_copy(self._path).unlink(missing_ok=True)

    # -- what is there

    def has_documents(self) -> bool:
        """Whether there is anything to search. Does not create the file."""
        if not self._path.exists():
            return False
        with self._database.reading() as connection:
            return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM documents WHERE chunk_count > 0)").get)

    def has_documents_within(self, scope: Scope) -> bool:
        """Whether there is anything to search in `scope`."""
        with self._database.reading() as connection:
            return bool(documents_within(connection, scope))

    def knows(self, path: Path) -> bool:
        """Whether a file is known, in whatever state, or any file inside a folder."""
        with self._database.reading() as connection:
            return knows_path(connection, path)

    def documents(self) -> list[StoredDocument]:
        """Every file that is known, sorted by path."""
        with self._database.reading() as connection:
            rows = fetch_all(
                connection,
                "SELECT id, path, title, state, reason, encoding, sha256, size_bytes, modified_ns, chunk_count, coalesce(model_id, ''),"
                " checked_ns, reader_version"
                " FROM documents LEFT JOIN embedders USING (slot) WHERE reason <> 'going' ORDER BY path",
            )
        return [StoredDocument(_document(row[:10]), row[10], row[11], row[12]) for row in rows]

    def text(self, path: Path) -> str:
        """The decoded text of a file, exactly as it was indexed. Raises `NotFound` for a file without text."""
        with self._database.reading() as connection:
            rows = fetch_all(
                connection,
                "SELECT text FROM texts WHERE document_id = (SELECT id FROM documents WHERE path = ? AND reason <> 'going') ORDER BY start",
                (os.fsencode(path),),
            )
        if not rows:
            raise NotFound(f"There is no text of {path} in the library.", path=str(path))
        return "".join(row[0] for row in rows)

    def text_of(self, document_id: int, start: int, end: int) -> str:
        """Characters `start` to `end` of a document, fewer where it ends; "" for a document that is gone."""
        if start < 0 or end <= start:
            return ""
        with self._database.reading() as connection:
            is_there = connection.execute("SELECT EXISTS (SELECT 1 FROM documents WHERE id = ? AND reason <> 'going')", (document_id,)).get
            return text_slice(connection, document_id, start, end) if is_there else ""

    def newest_text(self) -> int:
        """A number that changes when text is added."""
        with self._database.reading() as connection:
            return int(connection.execute("SELECT coalesce(max(rowid), 0) FROM texts").get)

    def text_samples(self, most: int, characters: int = 200) -> list[str]:
        """The beginnings of at most `most` blocks of text, evenly spread over the library."""
        with self._database.reading() as connection:
            return text_samples(connection, most, characters)

    # -- writing

    def add_waiting(self, files: Iterable[FileFacts]) -> None:
        """Remember files that are still to be read. A file that is known already is left as it is."""
        with self._database.writing() as connection:
            for file in files:
                connection.execute(
                    "INSERT INTO documents (path, title, state, reason, encoding, sha256, size_bytes, modified_ns, checked_ns, reader_version, chunk_count)"
                    " VALUES (?, ?, 'waiting', '', '', '', ?, ?, 0, 0, 0) ON CONFLICT (path) DO NOTHING",
                    (os.fsencode(file.path), storable(file.title), file.size_bytes, file.modified_ns),
                )

    def put(
        self,
        file: FileFacts,
        text: str,
        spans: Sequence[ChunkSpan],
        keys: Sequence[bytes],
        vectors: Vectors,
        embedder_id: str,
        cancel: CancelToken | None = None,
        *,
        durable: bool = False,
    ) -> None:
        """Replace everything of one file, in one transaction: it is ready afterwards, or nothing has changed.

        With `durable` this and everything written before it survive a cut of the power; otherwise the last files may be lost by one.

        `keys` and the rows of `vectors` belong to `spans`. Raises `ModelUnusable` for a vector that is not finite or has no length,
        and `Cancelled`.
        """
        rows = unit_rows(vectors, len(spans))
        known = [row.tobytes() for row in rows]
        self.put_text(file, text, spans, keys, known, embedder_id, rows.shape[1], cancel, durable=durable)

    def put_text(
        self,
        file: FileFacts,
        text: str,
        spans: Sequence[ChunkSpan],
        keys: Sequence[bytes],
        known: Sequence[bytes | None],
        embedder_id: str,
        dimension: int,
        cancel: CancelToken | None = None,
        *,
        pages: Sequence[PageStart] = (),
        durable: bool = False,
    ) -> int:
        """Replace a file by its new text, its words and the vectors that are `known` already, in one transaction; returns its id.

        `keys` and `known` (unit vectors as float32 bytes) belong to `spans`. The file is found by its words from now on. It is ready
        if no vector is None; else it waits for the rest (`missing`, `add_vectors`). `durable` as for `put`. `pages` says where
        its pages begin, in order. Raises `Cancelled`.
        """
        if not spans:
            raise ValueError("a document with text has at least one chunk")
        cancel = cancel or CancelToken()
        with self._database.writing(durable=durable) as connection:
            ensure_words_version(connection)
            slot = slot_for_writing(connection, embedder_id, dimension)
            document_id = replace_text(connection, slot, file, storable(text), spans, keys, known, pages, cancel)
            finish(connection, document_id, slot)
        return document_id

    def add_vectors(
        self, made: Sequence[MadeVector], whole: Sequence[int], embedder_id: str, dimension: int, cancel: CancelToken | None = None
    ) -> frozenset[int]:
        """Add vectors in one transaction, and make those of the documents `whole` ready that lack none now; returns these.

        A chunk that is gone, or has its vector already, is passed over: another run may have been there. Where `whole` names any, this and everything written before it survive a
        cut of the power. Raises `Cancelled`.
        """
        with self._database.writing(durable=bool(whole)) as connection:
            slot = slot_for_writing(connection, embedder_id, dimension)
            insert_missing(connection, slot, made, cancel or CancelToken())
            return frozenset(document_id for document_id in whole if finish(connection, document_id, slot))

    def put_without_text(self, file: FileFacts, state: DocumentState, reason: str) -> None:
        """Record why a file is not in the library. What was indexed of it before is removed."""
        with self._database.writing() as connection:
            ensure_words_version(connection)
            put_without_text(connection, file, state, reason)

    def touch(self, path: Path, *, size_bytes: int, modified_ns: int, checked_ns: int) -> None:
        """The content was compared and is the same as before; only its stamps are new."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE documents SET size_bytes = ?, modified_ns = ?, checked_ns = ? WHERE path = ?",
                (size_bytes, modified_ns, checked_ns, os.fsencode(path)),
            )

    def read_again(self, path: Path) -> None:
        """The next run reads this file anew, whatever its stamps say. Survives a cut of the power; a file that is not known stays so."""
        with self._database.writing(durable=True) as connection:
            connection.execute("UPDATE documents SET reader_version = 0 WHERE path = ?", (os.fsencode(path),))

    def make_durable(self) -> None:
        """Wait until the disk holds everything that was written: a cut of the power takes nothing of it away."""
        self._database.make_durable()

    # -- removing

    def remove(self, paths: Iterable[Path], cancel: CancelToken | None = None) -> int:
        """Forget files and everything made from them; returns how many were known.

        From the first transaction on nothing of them is found. They are then deleted in pieces, so that nobody waits long for the writer.
        Raises `Cancelled` between two: `finish_removals` deletes what is left, as after a crash.
        """
        cancel = cancel or CancelToken()
        cancel.check()
        removed = self.begin_removals(paths)
        self.finish_removals(cancel)
        return removed

    def begin_removals(self, paths: Iterable[Path]) -> int:
        """Let nothing of these files be shown or found any more, at once; returns how many were known. `finish_removals` deletes them."""
        with self._database.writing() as connection:
            return sum(begin_removal(connection, path) for path in paths)

    def finish_removals(self, cancel: CancelToken) -> bool:
        """Delete what is left of files whose removal has begun; returns whether there was anything. Raises `Cancelled`."""
        with self._database.reading() as connection:
            if not connection.execute("SELECT EXISTS (SELECT 1 FROM documents WHERE reason = 'going')").get:
                return False
        is_done = False
        while not is_done:
            cancel.check()
            with self._database.writing() as connection:
                ensure_words_version(connection)
                is_done = remove_piece(connection)
            if not is_done:
                cancel.wait(_OTHERS_TURN_SECONDS)
        return True

    def erase_deleted(self) -> None:
        """Give freed pages back and empty the log, so that nothing of removed files stays in any file of ours."""
        self._database.erase_free_pages()

    # -- the word index

    def renew_words(self) -> None:
        """Write the word index anew if it was made by other rules than today's; no vector is touched. Under a second for 10,000 chunks."""
        with self._database.reading() as connection:
            if has_todays_words(connection) or not connection.execute("SELECT EXISTS (SELECT 1 FROM chunks)").get:
                return
        with self._database.writing() as connection:
            ensure_words_version(connection)

    def tidy_words(self, cancel: CancelToken) -> bool:
        """Write the word index closely anew if many deletions left holes in it, in pieces; returns whether it did. Raises `Cancelled` between two."""
        with self._database.reading() as connection:
            if not words_have_holes(connection):
                return False
        is_done, begin = False, True
        while not is_done:
            cancel.check()
            with self._database.writing() as connection:
                is_done = close_holes(connection, begin=begin)
            begin = False
        return True

    # -- which model answers

    def answering_embedder(self) -> str:
        """The id of the model whose vectors answer; "" while there are none. Does not create the file."""
        if not self._path.exists():
            return ""
        with self._database.reading() as connection:
            return answering_embedder(connection)

    def take_over(self, embedder_id: str) -> bool:
        """Let this model answer from now on, if it has the vectors of every file, and delete the other's, in one transaction.

        Returns whether vectors were deleted: `erase_deleted` takes them out of the files.
        """
        with self._database.reading() as connection:
            if not may_take_over(connection, embedder_id):
                return False
        with self._database.writing(durable=True) as connection:
            if not may_take_over(connection, embedder_id):
                return False
            take_over(connection, embedder_id)
            return True

    def remember_place(self, embedder_id: str, place: str) -> None:
        """Write down where a model lies: while another one takes over, it still has to answer."""
        with self._database.reading() as connection:
            if place_of(connection, embedder_id) == place:
                return
        with self._database.writing() as connection:
            remember_place(connection, embedder_id, place)

    def place_of(self, embedder_id: str) -> str:
        """Where a model lay when it was used last; "" if nobody said."""
        with self._database.reading() as connection:
            return place_of(connection, embedder_id)

    # -- vectors that are to be made, and those that need not be made again

    def count_missing(self, document_id: int, embedder_id: str) -> int:
        """How many chunks of a document have no vector of this model yet."""
        with self._database.reading() as connection:
            return count_missing(connection, slot_of(connection, embedder_id), document_id)

    def missing(self, document_id: int, embedder_id: str, *, after: int, limit: int) -> list[MissingVector]:
        """At most `limit` chunks of a document that have no vector of this model yet, in order, from behind ordinal `after`."""
        with self._database.reading() as connection:
            return missing_vectors(connection, slot_of(connection, embedder_id), document_id, after, limit)

    def vectors_by_key(self, keys: Sequence[bytes], embedder_id: str) -> dict[bytes, bytes]:
        """Vectors (float32 bytes) that `embedder_id` has made already from the texts with these keys."""
        with self._database.reading() as connection:
            slot = slot_of(connection, embedder_id)
            return vectors_by_key(connection, slot, keys) if slot is not None else {}

    def vectors_by_content(self, sha256: str, encoding: str, embedder_id: str) -> list[KnownVector]:
        """What is known of a file with the very same content read in the same encoding, in order; empty if there is none.

        One that has all its vectors goes first.
        """
        with self._database.reading() as connection:
            return vectors_by_content(connection, slot_of(connection, embedder_id), sha256, encoding)

    # -- searching

    def search_words(self, match: str, k: int, scope: Scope = EVERYTHING) -> list[tuple[int, float]]:
        """Chunk ids and BM25 scores (higher is better), best first. `match` comes from `core.store.words.match_query`.

        Words kept by other rules than those of `match` would not be found: they are written anew first.
        """
        if not match or k < 1:
            return []
        self.renew_words()
        with self._database.reading() as connection:
            within = None if scope.is_everything else _ids_within(connection, scope)
            rows = ranked_by_words(connection, match, min(k, MAX_RESULTS), within)
        return [(int(chunk_id), -float(rank)) for chunk_id, rank in rows]

    def search_vectors(
        self, vector: Vectors, k: int, embedder_id: str, scope: Scope = EVERYTHING, *, exact: bool = False
    ) -> list[tuple[int, float]]:
        """Chunk ids and cosine similarities, best first, among vectors of the same model only: k of them if `scope` has so many.

        Every vector is compared, or, unless `exact`, from `core.store.codes.CODED_FROM` vectors on those that their codes say are near.
        """
        return self.search_several([vector], k, embedder_id, scope, exact=exact)[0]

    def search_several(
        self, vectors: Sequence[Vectors], k: int, embedder_id: str, scope: Scope = EVERYTHING, *, exact: bool = False
    ) -> list[list[tuple[int, float]]]:
        """The same for several vectors of one model, in less time than one after the other."""
        nothing: list[list[tuple[int, float]]] = [[] for _ in vectors]
        if k < 1 or not vectors:
            return nothing
        wanted = [unit(vector) for vector in vectors]
        with self._database.reading() as connection:
            slot = slot_of(connection, embedder_id)
            if slot is None:
                return nothing
            within = None if scope.is_everything else _ids_within(connection, scope)
            centre = None if exact else centre_of(connection, slot)
            if centre is None:
                return [nearest_of_all(connection, slot, one, min(k, MAX_RESULTS), within) for one in wanted]
            queries = [np.frombuffer(one, dtype="<f4") for one in wanted]
            allowed = chunk_ids_of(connection, within) if within is not None else None
            near = self._candidates.nearest(connection, slot, queries, centre, k, allowed)
            found = [similarities_of(connection, slot, query, ids) for query, ids in zip(queries, near, strict=True)]
        return [sorted(one.items(), key=lambda pair: (-pair[1], pair[0]))[:k] for one in found]

    def similarities(self, vector: Vectors, chunk_ids: Sequence[int], embedder_id: str) -> dict[int, float]:
        """Cosine similarities of these chunks; those that have no vector of this model are left out."""
        if not chunk_ids:
            return {}
        query = unit_rows(vector.reshape(1, -1), 1)[0]
        with self._database.reading() as connection:
            slot = slot_of(connection, embedder_id)
            return similarities_of(connection, slot, query, chunk_ids) if slot is not None else {}

    def chunks(self, chunk_ids: Sequence[int]) -> list[Chunk]:
        """The chunks with these ids, in the order given; ids that are gone are left out."""
        with self._database.reading() as connection:
            return read_chunks(connection, chunk_ids)

    def beginnings(self, chunk_ids: Sequence[int], characters: int = 300) -> dict[int, str]:
        """The beginning of the text of each of these chunks, shorter where a block of text ends; ids that are gone are left out."""
        with self._database.reading() as connection:
            rows = fetch_all(connection, BEGINNINGS, (BLOCK_CHARACTERS, characters, json.dumps(list(chunk_ids)), BLOCK_CHARACTERS))
        return {int(chunk_id): str(text) for chunk_id, text in rows}

    def places(self, chunk_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
        """The document and the ordinal of each of these chunks; ids that are gone are left out."""
        with self._database.reading() as connection:
            rows = fetch_all(
                connection,
                "SELECT id, document_id, ordinal FROM chunks WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(chunk_ids)),),
            )
        return {int(chunk_id): (int(document_id), int(ordinal)) for chunk_id, document_id, ordinal in rows}

    def contents(self, chunk_ids: Sequence[int]) -> dict[int, Content]:
        """What is alike for the same chunk of files with the same bytes, and for no others; ids that are gone, or whose bytes are not known, are left out."""
        with self._database.reading() as connection:
            rows = fetch_all(
                connection,
                'SELECT chunks.id, sha256, encoding, start, "end" FROM chunks JOIN documents ON documents.id = document_id'
                " WHERE sha256 <> '' AND chunks.id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(chunk_ids)),),
            )
        return {int(chunk_id): (str(sha256), str(encoding), int(start), int(end)) for chunk_id, sha256, encoding, start, end in rows}

    def chunks_of(self, path: Path) -> list[Chunk]:
        """All chunks of a file in order."""
        with self._database.reading() as connection:
            rows = fetch_all(
                connection,
                "SELECT chunks.id FROM chunks JOIN documents ON documents.id = document_id WHERE path = ? ORDER BY ordinal",
                (os.fsencode(path),),
            )
        return self.chunks([row[0] for row in rows])

    # -- checking

    def check(self) -> IndexCounts:
        """Count what should agree: every file has as many chunks as it says, every chunk has one word row, and in a ready file one vector."""
        damage = [f"index.db: {line}" for line in self._database.integrity_problems()]
        with self._database.reading() as connection:
            return count_index(connection, damage)


def _ids_within(connection: apsw.Connection, scope: Scope) -> str:
    return json.dumps(documents_within(connection, scope))


def _document(row: Sequence[object]) -> Document:
    document_id, path, title, state, reason, encoding, sha256, size_bytes, modified_ns, chunk_count = cast(
        "tuple[int, bytes, str, DocumentState, str, str, str, int, int, int]", tuple(row)
    )
    return Document(document_id, Path(os.fsdecode(path)), title, state, reason, encoding, sha256, size_bytes, modified_ns, chunk_count)
