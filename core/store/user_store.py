"""What must never be lost: the linked files, and every question and answer. A write is on the disk when its call returns."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import apsw

from core.documents import Answer
from core.errors import ChatsDamaged, NotFound
from core.scope import EVERYTHING, Scope
from core.store.answer_json import answer_from_json, answer_to_json, scope_from_json, scope_to_json
from core.store.connection import Database, fetch_all, fetch_one
from core.store.storable import storable
from core.store.user_schema import MIGRATIONS

TurnState = Literal["waiting", "done", "failed", "interrupted"]

_TITLE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A conversation as the list shows it. `updated_at` is seconds since the epoch."""

    id: int
    title: str
    updated_at: float


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and what became of it.

    `text` is what the person saw last: the whole answer, or the part that was written before it failed or was interrupted.
    `answer` is None unless the turn is done, and also when it was stored in a form that can no longer be read.
    """

    id: int
    question: str
    state: TurnState
    text: str
    answer: Answer | None
    error_code: str
    error_message: str
    scope: Scope = EVERYTHING


class UserStore:
    """user.db. Safe to use from several threads; nothing is opened before the first call.

    Every call may raise `ChatsDamaged`, `StoreLocked` or `NotEnoughDisk`; calls with an id also `NotFound`.
    """

    def __init__(self, path: Path) -> None:
        self._database = Database(
            path, name="The file with your conversations", migrations=MIGRATIONS, damaged=ChatsDamaged, synchronous="full"
        )

    def close(self) -> None:
        """Close the file. The next call opens it again."""
        self._database.close()

    def integrity_problems(self) -> list[str]:
        """What SQLite's integrity check finds wrong; an empty list means nothing."""
        return self._database.integrity_problems()

    def sources(self) -> list[Path]:
        """Linked files and folders, in the order in which they were added."""
        with self._database.reading() as connection:
            rows = fetch_all(connection, "SELECT path FROM sources ORDER BY added_at, path")
        return [_path(row[0]) for row in rows]

    def add_source(self, path: Path) -> None:
        """Link an absolute path; linking it again changes nothing. What was excluded at or under it is wanted again."""
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO sources (path, added_at) VALUES (?, ?) ON CONFLICT (path) DO NOTHING", (os.fsencode(path), time.time())
            )
            for (blob,) in fetch_all(connection, "SELECT path FROM excluded"):
                if _path(blob).is_relative_to(path):
                    connection.execute("DELETE FROM excluded WHERE path = ?", (blob,))

    def remove_source(self, path: Path) -> bool:
        """Unlink a path; returns whether it was linked."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM sources WHERE path = ?", (os.fsencode(path),))
            return connection.changes() > 0

    def excluded(self) -> list[Path]:
        """Files and folders inside linked folders that the person took out of the library."""
        with self._database.reading() as connection:
            return [_path(row[0]) for row in connection.execute("SELECT path FROM excluded ORDER BY path")]

    def exclude(self, path: Path) -> None:
        """Keep a file or folder inside a linked folder out of the library."""
        with self._database.writing() as connection:
            connection.execute("INSERT INTO excluded (path) VALUES (?) ON CONFLICT (path) DO NOTHING", (os.fsencode(path),))

    def encodings(self) -> dict[Path, str]:
        """The encodings that the person has chosen for files."""
        with self._database.reading() as connection:
            return {_path(path): encoding for path, encoding in connection.execute("SELECT path, encoding FROM encodings ORDER BY path")}

    def choose_encoding(self, path: Path, encoding: str) -> None:
        """Keep the encoding that a file is in by the person's word; empty forgets it."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM encodings WHERE path = ?", (os.fsencode(path),))
            if encoding:
                connection.execute("INSERT INTO encodings (path, encoding) VALUES (?, ?)", (os.fsencode(path), encoding))

    def forget_encodings(self, path: Path) -> None:
        """Forget what was chosen for a file, or for all files in a folder."""
        with self._database.writing() as connection:
            for (blob,) in fetch_all(connection, "SELECT path FROM encodings"):
                if _path(blob).is_relative_to(path):
                    connection.execute("DELETE FROM encodings WHERE path = ?", (blob,))

    def conversations(self) -> list[ConversationSummary]:
        """All conversations, the one used last first."""
        with self._database.reading() as connection:
            rows = fetch_all(connection, "SELECT id, title, updated_at FROM conversations ORDER BY updated_at DESC, id DESC")
        return [ConversationSummary(*row) for row in rows]

    def create_conversation(self, title: str = "") -> int:
        """Start a conversation and return its id. An empty title is set from the first question."""
        with self._database.writing() as connection:
            connection.execute("INSERT INTO conversations (title, updated_at) VALUES (?, ?)", (storable(title), time.time()))
            return connection.last_insert_rowid()

    def rename_conversation(self, conversation_id: int, title: str) -> None:
        """Give a conversation another title."""
        with self._database.writing() as connection:
            connection.execute("UPDATE conversations SET title = ? WHERE id = ?", (storable(title), conversation_id))
            _require_change(connection, "conversation", conversation_id)

    def delete_conversation(self, conversation_id: int) -> None:
        """Delete a conversation with everything in it, for good: nothing of it stays in the file."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))
            _require_change(connection, "conversation", conversation_id)
        self._database.erase_free_pages()

    def add_turn(self, conversation_id: int, question: str, scope: Scope = EVERYTHING) -> int:
        """Store a question, and what it is restricted to, before anything is done about it, and return the turn's id. Its draft is done with."""
        question = storable(question)
        now = time.time()
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE conversations SET updated_at = ?, title = CASE WHEN title = '' THEN ? ELSE title END WHERE id = ?",
                (now, _title_from(question), conversation_id),
            )
            _require_change(connection, "conversation", conversation_id)
            connection.execute("DELETE FROM drafts WHERE conversation_id = ?", (conversation_id,))
            connection.execute(
                "INSERT INTO turns (conversation_id, question, state, asked_at, scope) VALUES (?, ?, 'waiting', ?, ?)",
                (conversation_id, question, now, scope_to_json(scope)),
            )
            return connection.last_insert_rowid()

    def save_partial(self, turn_id: int, text: str) -> None:
        """Keep what has been written so far of an answer. A turn that is over already is left as it is."""
        with self._database.writing() as connection:
            connection.execute("UPDATE turns SET text = ? WHERE id = ? AND state = 'waiting'", (storable(text), turn_id))

    def finish_turn(self, turn_id: int, answer: Answer) -> None:
        """Store the answer of a turn."""
        state = "interrupted" if answer.interrupted else "done"
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE turns SET state = ?, text = ?, answer = ?, error_code = '', error_message = '' WHERE id = ?",
                (state, storable(answer.text), answer_to_json(answer), turn_id),
            )
            _require_change(connection, "turn", turn_id)

    def fail_turn(self, turn_id: int, code: str, message: str, text: str) -> None:
        """Store why a turn failed, and the text that had been written until then."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE turns SET state = 'failed', text = ?, error_code = ?, error_message = ? WHERE id = ?",
                (storable(text), code, storable(message), turn_id),
            )
            _require_change(connection, "turn", turn_id)

    def mark_interrupted(self) -> int:
        """At start: turns that the last run left waiting will never be answered. Returns how many there were."""
        with self._database.writing() as connection:
            connection.execute("UPDATE turns SET state = 'interrupted' WHERE state = 'waiting'")
            return connection.changes()

    def turns(self, conversation_id: int) -> list[Turn]:
        """The questions of a conversation with their answers, oldest first."""
        with self._database.reading() as connection:
            rows = fetch_all(
                connection,
                "SELECT id, question, state, text, answer, error_code, error_message, scope FROM turns WHERE conversation_id = ? ORDER BY id",
                (conversation_id,),
            )
        return [
            Turn(turn_id, question, cast(TurnState, state), text, answer_from_json(answer), code, message, scope_from_json(scope))
            for turn_id, question, state, text, answer, code, message, scope in rows
        ]

    def save_draft(self, conversation_id: int, text: str) -> None:
        """Keep what stands in the question box; empty text forgets it."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM drafts WHERE conversation_id = ?", (conversation_id,))
            if text:
                connection.execute(
                    "INSERT INTO drafts (conversation_id, text) SELECT id, ? FROM conversations WHERE id = ?",
                    (storable(text), conversation_id),
                )

    def draft(self, conversation_id: int) -> str:
        """What stood in the question box, or nothing."""
        with self._database.reading() as connection:
            row = fetch_one(connection, "SELECT text FROM drafts WHERE conversation_id = ?", (conversation_id,))
        return str(row[0]) if row else ""


def _path(blob: object) -> Path:
    return Path(os.fsdecode(cast(bytes, blob)))


def _title_from(question: str) -> str:
    words = " ".join(question.split())
    return words if len(words) <= _TITLE_CHARACTERS else words[: _TITLE_CHARACTERS - 1].rstrip() + "…"


def _require_change(connection: apsw.Connection, what: str, row_id: int) -> None:
    if connection.changes() == 0:
        raise NotFound(f"There is no {what} number {row_id}.", id=row_id)
