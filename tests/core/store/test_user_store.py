from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import apsw
import pytest

from core.documents import (
    Answer,
    Chunk,
    Citation,
    ClosestPassage,
    Doubt,
    Evaluation,
    Judgement,
    Refusal,
    ScoredChunk,
    Step,
    SubQuestion,
    Usage,
    WebOutcome,
    WebResult,
)
from core.errors import ChatsDamaged, NotFound
from core.scope import Scope
from core.store.answer_json import answer_from_json, answer_to_json
from core.store.user_store import UserStore

STRANGE_NAME = Path(os.fsdecode(b"/home/me/\xff\xfe caf\xe9.txt"))


@pytest.fixture
def store(home: Path) -> Iterator[UserStore]:
    store = UserStore(home / "user.db")
    yield store
    store.close()


def full_answer(text: str = "Yes [1].", *, interrupted: bool = False) -> Answer:
    chunk = Chunk(1, 2, STRANGE_NAME, "Manual", "A > B", 3, 9, 1, "passage")
    return Answer(
        question="q?",
        standalone_question="the whole q?",
        strategy="complex",
        route_reason="because",
        text=text,
        origin="files",
        refused=False,
        short_answer="Yes",
        own_knowledge="own",
        sub_questions=(SubQuestion("sub", "short", 2),),
        citations=(Citation(1, "passage", STRANGE_NAME, "Manual", 3, 9, 1),),
        documents=(ScoredChunk(chunk, 0.5, 0.8),),
        web=WebOutcome(True, "sent", "", (WebResult("t", "https://x", "x", "s"),)),
        evaluation=Evaluation(False, ("a", "b"), "r", "w", 0.25),
        judgement=Judgement(0.9, 0.8, 0.7, 0.8, "completeness"),
        doubts=(Doubt(0, 3, "name"),),
        refusal=Refusal(("q",), (ClosestPassage(1, "no_names"),), "a list"),
        limits_hit=("rounds",),
        notes=("vectors_failed",),
        steps=(Step("retrieve", 0.1, Usage(1, 2, 3), "n"),),
        seconds_to_first_word=0.5,
        seconds=2.0,
        predicted_seconds=1.5,
        model="m",
        embedder="e",
        interrupted=interrupted,
        scope=Scope((Path("/work/年假.md"), Path(os.fsdecode(b"/work/caf\xe9"))), date(2026, 1, 2), None),
    )


def test_making_a_store_opens_nothing(home: Path) -> None:
    UserStore(home / "user.db")

    assert not (home / "user.db").exists()


def test_a_question_is_stored_before_it_is_answered(store: UserStore) -> None:
    conversation = store.create_conversation()

    turn = store.add_turn(conversation, "What is  a lamp?")

    assert [(found.id, found.question, found.state) for found in store.turns(conversation)] == [(turn, "What is  a lamp?", "waiting")]
    assert store.conversations()[0].title == "What is a lamp?"


def test_the_title_stays_when_the_person_chose_it(store: UserStore) -> None:
    conversation = store.create_conversation("Lamps")

    store.add_turn(conversation, "first")

    assert store.conversations()[0].title == "Lamps"


def test_a_long_question_gives_a_short_title(store: UserStore) -> None:
    conversation = store.create_conversation()

    store.add_turn(conversation, "word " * 20_000)

    assert len(store.conversations()[0].title) <= 60


def test_an_answer_comes_back_as_it_was_stored(store: UserStore) -> None:
    conversation = store.create_conversation()
    turn = store.add_turn(conversation, "q?")

    store.finish_turn(turn, full_answer())

    (found,) = store.turns(conversation)
    assert found.state == "done"
    assert found.answer == full_answer()
    assert found.text == "Yes [1]."


def test_an_answer_of_an_older_version_gets_defaults_for_what_it_lacks() -> None:
    stored = json.loads(answer_to_json(full_answer()))
    for name in ("notes", "steps", "own_knowledge", "route_reason", "web"):
        del stored[name]
    stored["of_a_newer_version"] = 1

    found = answer_from_json(json.dumps(stored))

    assert found is not None
    assert (found.notes, found.steps, found.web, found.text) == ((), (), WebOutcome(), "Yes [1].")


@pytest.mark.parametrize("broken", ["", "{", "[]", "null", '{"citations": 3}', "[" * 100_000])
def test_an_unreadable_answer_leaves_its_text(store: UserStore, home: Path, broken: str) -> None:
    conversation = store.create_conversation()
    turn = store.add_turn(conversation, "q?")
    store.finish_turn(turn, full_answer())
    store.close()
    with apsw.Connection(str(home / "user.db")) as connection:
        connection.execute("UPDATE turns SET answer = ?", (broken,))
    connection.close()

    (found,) = store.turns(conversation)

    assert found.answer is None
    assert (found.state, found.text) == ("done", "Yes [1].")


def test_partial_text_survives_a_failure_and_an_interruption(store: UserStore) -> None:
    conversation = store.create_conversation()
    failed, left = store.add_turn(conversation, "a"), store.add_turn(conversation, "b")
    store.save_partial(left, "half an ans")

    store.fail_turn(failed, "child_crashed", "It ended.", "beginning")
    assert store.mark_interrupted() == 1

    assert [(turn.state, turn.text, turn.error_code) for turn in store.turns(conversation)] == [
        ("failed", "beginning", "child_crashed"),
        ("interrupted", "half an ans", ""),
    ]


def test_a_late_partial_text_does_not_replace_the_answer(store: UserStore) -> None:
    conversation = store.create_conversation()
    turn = store.add_turn(conversation, "q")
    store.finish_turn(turn, full_answer())

    store.save_partial(turn, "late")

    assert store.turns(conversation)[0].text == "Yes [1]."


def test_conversations_are_sorted_by_last_use(store: UserStore) -> None:
    first, second = store.create_conversation("a"), store.create_conversation("b")

    store.add_turn(first, "again")

    assert [found.id for found in store.conversations()] == [first, second]


def test_a_deleted_conversation_leaves_nothing_in_the_file(store: UserStore, home: Path) -> None:
    conversation = store.create_conversation()
    turn = store.add_turn(conversation, "zanzibar-canary question")
    store.finish_turn(turn, full_answer("zanzibar-canary answer"))
    store.save_draft(conversation, "zanzibar-canary draft")

    store.delete_conversation(conversation)

    assert store.conversations() == []
    assert all(b"zanzibar-canary" not in file.read_bytes() for file in home.iterdir())


def test_a_draft_is_kept_until_its_question_is_asked(store: UserStore) -> None:
    conversation = store.create_conversation()
    store.save_draft(conversation, "half a quest")
    assert store.draft(conversation) == "half a quest"

    store.add_turn(conversation, "half a question?")

    assert store.draft(conversation) == ""


def test_sources_keep_names_that_are_not_unicode(store: UserStore) -> None:
    store.add_source(STRANGE_NAME)
    store.add_source(Path("/b"))
    store.add_source(STRANGE_NAME)

    assert store.sources() == [STRANGE_NAME, Path("/b")]
    assert store.remove_source(STRANGE_NAME)
    assert not store.remove_source(STRANGE_NAME)


def test_adding_a_folder_again_brings_back_what_was_taken_out_of_it(store: UserStore) -> None:
    store.exclude(Path("/docs/a/secret.txt"))
    store.exclude(Path("/other/x.txt"))

    store.add_source(Path("/docs"))

    assert store.excluded() == [Path("/other/x.txt")]


def test_text_that_is_no_unicode_is_stored_all_the_same(store: UserStore) -> None:
    conversation = store.create_conversation("\ud800\0")

    store.add_turn(conversation, "a\ud83d\0b")

    assert store.turns(conversation)[0].question == "a\ufffd\ufffdb"


def test_what_does_not_exist_is_said_so(store: UserStore) -> None:
    for call in (
        lambda: store.add_turn(7, "q"),
        lambda: store.rename_conversation(7, "t"),
        lambda: store.delete_conversation(7),
        lambda: store.finish_turn(7, full_answer()),
        lambda: store.fail_turn(7, "c", "m", ""),
    ):
        with pytest.raises(NotFound):
            call()


def test_everything_is_there_after_a_restart(home: Path) -> None:
    first = UserStore(home / "user.db")
    conversation = first.create_conversation()
    first.finish_turn(first.add_turn(conversation, "q"), full_answer())
    first.close()

    second = UserStore(home / "user.db")

    assert second.turns(conversation)[0].answer == full_answer()
    second.close()


def test_a_damaged_file_is_named_and_left_alone(home: Path) -> None:
    (home / "user.db").write_bytes(b"\0" * 8192)

    with pytest.raises(ChatsDamaged):
        UserStore(home / "user.db").conversations()

    assert (home / "user.db").read_bytes() == b"\0" * 8192


def test_what_a_question_is_restricted_to_is_kept_with_it(store: UserStore) -> None:
    conversation = store.create_conversation()
    scope = Scope((Path("/work/年假.md"), Path(os.fsdecode(b"/work/caf\xe9"))), date(2026, 1, 2), date(2026, 2, 3))
    store.add_turn(conversation, "q?", scope)
    store.add_turn(conversation, "and?")

    assert [turn.scope for turn in store.turns(conversation)] == [scope, Scope()]
