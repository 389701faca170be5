from __future__ import annotations

import pytest

from core.cancel import CancelToken
from core.documents import Message, Prompt
from core.qa.decisions import write_line
from core.qa.limits import Meter, MeteredChatModel, RunLimits
from tests.fakes.scripted_chat_model import ScriptedChatModel

PROMPT = Prompt((Message("user", "Where does the ferry land?"),))


def metered(*pieces: str) -> tuple[MeteredChatModel, Meter]:
    meter = Meter(RunLimits())
    return MeteredChatModel(ScriptedChatModel(streams=[list(pieces)]), meter), meter


@pytest.mark.parametrize(
    ("pieces", "line", "written"),
    [
        (("Skel", "by\n", "The ferry lands", " at Skelby."), "Skelby", 2),
        (("\n", " \n", "Skelby", "\nand more"), "Skelby", 4),
        (("Skelby",), "Skelby", 1),
        ((), "", 0),
    ],
)
def test_a_line_is_written_to_its_end_and_no_further(pieces: tuple[str, ...], line: str, written: int) -> None:
    model, meter = metered(*pieces, *(["more"] * 5 if "\n" in "".join(pieces) else []))

    assert write_line(model, PROMPT, max_tokens=40, cancel=CancelToken()) == line
    assert meter.usage.generated == written


def test_a_text_that_is_stopped_is_paid_for_like_one_that_ended() -> None:
    model, meter = metered("The ", "ferry ", "lands.")
    stream = model.stream(PROMPT, max_tokens=40, cancel=CancelToken())
    next(stream)
    next(stream)

    stream.close()

    assert (meter.model_calls, meter.usage.generated) == (1, 2)
    assert meter.usage.evaluated > 0


def test_a_text_that_never_began_costs_nothing() -> None:
    model, meter = metered("The ferry lands.")

    model.stream(PROMPT, max_tokens=40, cancel=CancelToken()).close()

    assert meter.model_calls == 0
