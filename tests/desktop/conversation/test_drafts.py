from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.store.user_store import UserStore
from desktop.conversation.drafts import Drafts
from desktop.worker import Errands


@pytest.fixture
def store(tmp_path: Path) -> UserStore:
    return UserStore(tmp_path / "user.db")


@pytest.fixture
def errands(qtbot: QtBot) -> Iterator[Errands]:
    errands = Errands("tested")
    yield errands
    assert errands.stop(3)


@pytest.fixture
def drafts(errands: Errands) -> Drafts:
    return Drafts(errands)


def test_what_was_typed_reaches_the_disk_by_itself(drafts: Drafts, store: UserStore, qtbot: QtBot) -> None:
    conversation = store.create_conversation()
    drafts.use(store)

    drafts.keep(conversation, "half a")
    drafts.keep(conversation, "half a thought")

    qtbot.waitUntil(lambda: store.draft(conversation) == "half a thought")


def test_saving_writes_the_draft_of_every_conversation_at_once(drafts: Drafts, store: UserStore, errands: Errands) -> None:
    first, second = store.create_conversation(), store.create_conversation()
    drafts.use(store)
    drafts.keep(first, "one")
    drafts.keep(second, "二")

    drafts.save()

    assert errands.stop(3)
    assert (store.draft(first), store.draft(second)) == ("one", "二")


def test_a_draft_that_was_sent_is_not_written(drafts: Drafts, store: UserStore, errands: Errands) -> None:
    conversation = store.create_conversation()
    drafts.use(store)
    drafts.keep(conversation, "Why?")

    drafts.forget(conversation)
    drafts.save()

    assert errands.stop(3)
    assert store.draft(conversation) == ""


def test_without_a_store_nothing_is_written(drafts: Drafts, store: UserStore, errands: Errands) -> None:
    conversation = store.create_conversation()
    drafts.use(store)
    drafts.use(None)
    drafts.keep(conversation, "too late")

    drafts.save()

    assert errands.stop(3)
    assert store.draft(conversation) == ""
