from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from desktop.conversation.transcript import LIVE_TURNS, Transcript
from desktop.conversation.turn_view import Problem, TurnView
from tests.fakes.window import answer_of


def finished(key: int, text: str = "An answer.\n\nWith two paragraphs.") -> TurnView:
    return TurnView(key, f"Question {key}?", "finished", answer_of(f"Question {key}?", text))


@pytest.fixture
def transcript(qtbot: QtBot) -> Iterator[Transcript]:
    made = Transcript()
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    yield made


def settle(qtbot: QtBot, transcript: Transcript) -> None:
    qtbot.waitUntil(lambda: transcript.verticalScrollBar().maximum() > 0)
    qtbot.wait(1)


def test_it_opens_at_its_end(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_turns([finished(number) for number in range(1, 20)])

    bar = transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())


def test_nothing_moves_for_somebody_who_reads_further_up(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_turns([finished(number) for number in range(1, 12)])
    transcript.add_turn(TurnView(99, "Last?", "running"))
    settle(qtbot, transcript)
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    before = bar.value()
    card = transcript.cards[99]

    for _ in range(3000):
        card.add_text("token ", own_knowledge=False)
        card.flush()
    qtbot.wait(1)
    transcript.update_turn(finished(99, "token " * 3000))
    qtbot.wait(1)

    assert bar.maximum() > before * 2
    assert bar.value() == before


def test_the_end_is_followed_by_somebody_who_is_there(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_turns([finished(number) for number in range(1, 12)])
    transcript.add_turn(TurnView(99, "Last?", "running"))
    settle(qtbot, transcript)
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() - 10)

    for _ in range(200):
        transcript.cards[99].add_text("token token\n", own_knowledge=False)
        transcript.cards[99].flush()

    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_many_tokens_are_few_flushes_and_one_rendering(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.add_turn(TurnView(1, "Long?", "running"))
    card = transcript.cards[1]
    appended: list[str] = []
    append = card.body.append_text
    card.body.append_text = lambda text: (appended.append(text), append(text))  # type: ignore[method-assign, func-returns-value, assignment]

    for _ in range(5000):
        card.add_text("ab ", own_knowledge=False)
    qtbot.waitUntil(lambda: len(card.body.toPlainText()) == 15_000)

    assert len(appended) == 1
    assert card.body.renders == 0
    transcript.update_turn(finished(1, "ab " * 5000))
    assert card.body.renders == 1


def test_of_a_long_conversation_only_the_end_is_built(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_turns([finished(number) for number in range(1, 1001)])
    settle(qtbot, transcript)
    assert len(transcript.cards) == LIVE_TURNS
    assert min(transcript.cards) == 1001 - LIVE_TURNS

    transcript._earlier.click()

    assert len(transcript.cards) == 2 * LIVE_TURNS
    assert transcript._earlier.isVisible()


def test_another_conversation_leaves_nothing_of_the_first(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.show_turns([finished(1), finished(2)])

    transcript.show_turns([finished(3)])

    assert list(transcript.cards) == [3]
    assert transcript._layout.count() == 4  # the button, a question, an answer, the rest


def test_the_signals_of_a_card_carry_its_lasting_key(qtbot: QtBot, transcript: Transcript) -> None:
    transcript.add_turn(TurnView(-1, "Q?", "running"))
    transcript.rename_turn(-1, 7)
    transcript.update_turn(TurnView(7, "Q?", "failed", problem=Problem("It failed.", "Ask again.")))

    with qtbot.waitSignal(transcript.retry_requested) as retried:
        transcript.cards[7].retry_button.click()

    assert retried.args == [7]
