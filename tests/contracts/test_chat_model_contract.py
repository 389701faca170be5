"""What every chat model promises. The scripted fake, the one without weights and the real runtime all keep it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from core.cancel import CancelToken
from core.documents import Message, Prompt, Usage
from core.errors import Cancelled, PromptTooLong
from core.protocols import ChatModel, stop
from models.backends.echo import EchoChatModel
from models.chat_model import LlamaCppChatModel
from tests.fakes.scripted_chat_model import ScriptedChatModel

CONTEXT_TOKENS = 1024


class Decision(BaseModel):
    strategy: Literal["simple", "complex"]
    confidence: int = Field(ge=1, le=5)
    needs_files: bool
    reason: str = Field(max_length=40)


class Lookups(BaseModel):
    lookups: list[str] = Field(min_length=1, max_length=3)
    kind: Literal["人物", "地点"]
    note: str | None


def ask(text: str, system: str = "You are a helpful assistant.", answer_start: str = "") -> Prompt:
    return Prompt((Message("system", system), Message("user", text)), answer_start)


def read(model: ChatModel, prompt: Prompt, cancel: CancelToken, max_tokens: int = 24) -> tuple[list[str], Usage]:
    pieces: list[str] = []
    stream = model.stream(prompt, max_tokens=max_tokens, cancel=cancel)
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            return pieces, end.value.usage


def scripted() -> ScriptedChatModel:
    def reply(_prompt: Prompt, kind: type[BaseModel]) -> dict[str, object]:
        if kind is Decision:
            return {"strategy": "simple", "confidence": 3, "needs_files": False, "reason": "因为"}
        return {"lookups": ["宋江"], "kind": "人物", "note": None}

    def choose(_prompt: Prompt, labels: list[str]) -> dict[str, float]:
        return {label: 1.0 for label in labels}

    return ScriptedChatModel(
        streams=lambda _prompt: ["The ", "answer ", "is ", "水浒传。"], replies=reply, choices=choose, context_tokens=CONTEXT_TOKENS
    )


@pytest.fixture(scope="module")
def real(starter_models: Path) -> Iterator[LlamaCppChatModel]:
    file = starter_models / "smollm2-135m" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    with LlamaCppChatModel(lambda: file, context_tokens=CONTEXT_TOKENS) as model:
        yield model


@pytest.fixture(params=["scripted", "echo", pytest.param("real", marks=pytest.mark.real)])
def model(request: pytest.FixtureRequest) -> ChatModel:
    makers: dict[str, Callable[[], ChatModel]] = {
        "scripted": scripted,
        "echo": lambda: EchoChatModel(context_tokens=CONTEXT_TOKENS),
        "real": lambda: request.getfixturevalue("real"),
    }
    return makers[request.param]()


def test_a_model_says_what_it_is_before_it_is_asked(model: ChatModel) -> None:
    assert model.model_id
    assert model.context_tokens == CONTEXT_TOKENS


def test_a_speed_is_known_or_none(model: ChatModel) -> None:
    speed = model.speed

    assert speed is None or (speed.prefill_tokens_per_second > 0 and speed.generation_tokens_per_second > 0)


def test_a_stream_is_whole_characters_within_its_limit(model: ChatModel, cancel: CancelToken) -> None:
    pieces, usage = read(model, ask("Count in Chinese: 一 二 三 四"), cancel)

    text = "".join(pieces)
    assert text
    assert text.encode("utf-8").decode("utf-8") == text
    assert "\ufffd" not in text
    assert 0 < usage.generated <= 24


def test_prompts_can_be_named_for_keeping_at_any_time(model: ChatModel, cancel: CancelToken) -> None:
    before, _usage = read(model, ask("Who wrote Hamlet?"), cancel)
    model.keep([ask("?")], cancel=cancel)
    model.keep([ask("?"), ask("?", "Other rules.")], cancel=cancel)
    model.keep([], cancel=cancel)
    model.keep([Prompt(())], cancel=cancel)
    after, _usage = read(model, ask("Who wrote Hamlet?"), cancel)

    assert "".join(after) == "".join(before)


def test_the_same_question_gives_the_same_answer_and_reuses_the_work(model: ChatModel, cancel: CancelToken) -> None:
    prompt = ask("What is the capital of France?")

    first, first_usage = read(model, prompt, cancel)
    second, second_usage = read(model, prompt, cancel)

    assert "".join(first) == "".join(second)
    assert second_usage.reused > 0
    assert second_usage.evaluated < first_usage.evaluated + first_usage.reused
    assert first_usage.evaluated + first_usage.reused == second_usage.evaluated + second_usage.reused


def test_a_question_that_shares_a_beginning_reuses_it(model: ChatModel, cancel: CancelToken) -> None:
    rules = "Answer briefly and only from what you know. " * 10
    read(model, ask("Who wrote Hamlet?", rules), cancel, max_tokens=4)

    _pieces, usage = read(model, ask("Where is Oslo?", rules), cancel, max_tokens=4)

    assert usage.reused > usage.evaluated


@pytest.mark.parametrize("reply_type", [Decision, Lookups])
def test_a_reply_fits_its_type(model: ChatModel, cancel: CancelToken, reply_type: type[BaseModel]) -> None:
    reply = model.reply(ask("Who is Song Jiang? 宋江是谁？"), reply_type, max_tokens=200, cancel=cancel)

    assert isinstance(reply.value, reply_type)
    assert reply_type.model_validate_json(reply.value.model_dump_json()) == reply.value
    assert reply.usage.generated > 0


def test_a_choice_is_a_probability_of_every_label(model: ChatModel, cancel: CancelToken) -> None:
    labels = [" simple", " complex", " 不知道"]

    choice = model.choose(ask("1+1=?", answer_start="Strategy:"), labels, cancel=cancel)

    assert list(choice.probabilities) == labels
    assert sum(choice.probabilities.values()) == pytest.approx(1.0)
    assert all(0.0 <= share <= 1.0 for share in choice.probabilities.values())
    assert choice.best in labels
    assert choice.usage.generated == 0
    assert 0.0 <= choice.mass <= 1.0


def test_a_choice_of_one_label_says_how_probable_it_is(model: ChatModel, cancel: CancelToken) -> None:
    choice = model.choose(ask("1+1=?", answer_start="Strategy:"), [" simple"], cancel=cancel)

    assert choice.probabilities == {" simple": pytest.approx(1.0)}
    assert 0.0 <= choice.mass <= 1.0


def test_choices_behind_prompts_that_begin_alike_are_those_made_one_by_one(model: ChatModel, cancel: CancelToken) -> None:
    rules = "The fog bell rings twice a minute. " * 12
    prompts = [ask(f"{rules}{end}", answer_start="Answer:") for end in ("Is it loud?", "Does it ring?", "你好吗？")]
    labels = [" yes", " no"]

    together = model.choose_each(prompts, labels, cancel=cancel)

    assert len(together) == 3
    for alone, choice in zip([model.choose(prompt, labels, cancel=cancel) for prompt in prompts], together, strict=True):
        assert dict(choice.probabilities) == pytest.approx(dict(alone.probabilities), abs=0.02)
        assert choice.mass == pytest.approx(alone.mass, abs=0.02)
        assert choice.usage.evaluated + choice.usage.reused == alone.usage.evaluated + alone.usage.reused
    assert model.choose_each([], labels, cancel=cancel) == ()


def test_a_text_says_how_sure_its_writer_was(model: ChatModel, cancel: CancelToken) -> None:
    stream = model.stream(ask("What is the capital of France?"), max_tokens=8, cancel=cancel)
    while True:
        try:
            next(stream)
        except StopIteration as end:
            confidence = end.value.confidence
            break

    assert confidence is None or 0.0 < confidence <= 1.0


def test_tokens_are_counted(model: ChatModel) -> None:
    assert model.count_tokens("") == 0
    assert 1 <= model.count_tokens("hello") <= 5
    assert model.count_tokens("hello " * 100) >= 100


def test_a_prompt_that_leaves_no_room_for_the_answer_is_refused_and_the_next_one_works(model: ChatModel, cancel: CancelToken) -> None:
    with pytest.raises(PromptTooLong):
        read(model, ask("word " * 1000), cancel, max_tokens=512)

    assert read(model, ask("Hello"), cancel)[0]


def test_a_cancelled_token_stops_every_operation(model: ChatModel) -> None:
    cancel = CancelToken()
    cancel.cancel()

    with pytest.raises(Cancelled):
        read(model, ask("Hello"), cancel)
    with pytest.raises(Cancelled):
        model.reply(ask("Hello"), Decision, max_tokens=100, cancel=cancel)
    with pytest.raises(Cancelled):
        model.choose(ask("Hello"), ["yes", "no"], cancel=cancel)
    with pytest.raises(Cancelled):
        model.choose_each([ask("Hello"), ask("Bye")], ["yes", "no"], cancel=cancel)


def test_a_stream_cancelled_in_the_middle_ends_and_the_next_call_works(model: ChatModel) -> None:
    cancel = CancelToken()
    stream = model.stream(ask("Tell me a very long story about the sea."), max_tokens=400, cancel=cancel)
    next(stream)

    cancel.cancel()
    with pytest.raises(Cancelled):
        for _piece in stream:
            pass

    assert read(model, ask("Hello"), CancelToken())[0]


def test_a_stream_that_nobody_reads_to_its_end_does_not_block_the_next_call(model: ChatModel, cancel: CancelToken) -> None:
    stream = model.stream(ask("Tell me a very long story about the sea."), max_tokens=400, cancel=cancel)
    next(stream)
    stream.close()

    assert read(model, ask("Hello"), cancel)[0]


def test_a_stream_that_is_stopped_says_what_was_paid(model: ChatModel, cancel: CancelToken) -> None:
    prompt = ask("Tell me a very long story about the sea.")
    whole = read(model, prompt, cancel)[1]
    stream = model.stream(prompt, max_tokens=24, cancel=cancel)
    next(stream)

    stopped = stop(stream)

    assert stopped is not None
    assert stopped.usage.evaluated + stopped.usage.reused == whole.evaluated + whole.reused
    assert 1 <= stopped.usage.generated <= 24
    assert stop(stream) is None
    assert stop(model.stream(prompt, max_tokens=24, cancel=cancel)) is None


def test_odd_characters_are_only_characters(model: ChatModel, cancel: CancelToken) -> None:
    odd = "\x00\x07 \ud800 \U000e0041 <|im_end|> {{ 7*7 }} \u2028 ]]>"

    assert read(model, ask(odd, odd, answer_start=odd), cancel)[1].generated >= 0
    assert model.count_tokens(odd) > 0


def test_calls_of_several_threads_all_get_their_answer(model: ChatModel) -> None:
    answers: list[str] = []

    def run() -> None:
        answers.append("".join(read(model, ask("Hello"), CancelToken(), max_tokens=8)[0]))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len(answers) == 3
    assert len(set(answers)) == 1
