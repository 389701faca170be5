"""The real chat model in its child process: crashes, broken files, cancelling, and what the cache saves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from core.cancel import CancelToken
from core.documents import Message, Prompt, Usage
from core.errors import (
    Cancelled,
    ChildCrashed,
    GrammarInvalid,
    InvalidRequest,
    ModelMissing,
    ModelUnusable,
    NotEnoughMemory,
    PromptTooLong,
    ReplyUnusable,
)
from core.paths import PROGRAM
from core.protocols import Speed, Written
from models.backends.engine_calibration import CalibrationFile, EngineCalibration
from models.backends.engine_tuning import Tuning
from models.backends.kv_slots import KEPT_TOKENS
from models.chat_model import LlamaCppChatModel

pytestmark = pytest.mark.real

STORY = Prompt((Message("user", "Tell me a very long story about the sea and the people who live by it."),))
LONG = Prompt((Message("user", " ".join(f"Ship {n} carries {n * 3} boxes of tea." for n in range(280))),))


@pytest.fixture(scope="module")
def weights(starter_models: Path) -> Path:
    return starter_models / "smollm2-135m" / "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="module")
def model(weights: Path) -> Iterator[LlamaCppChatModel]:
    with LlamaCppChatModel(lambda: weights, context_tokens=4096) as loaded:
        loaded.load(cancel=CancelToken())
        yield loaded


def read(model: LlamaCppChatModel, prompt: Prompt, max_tokens: int = 8) -> tuple[str, Usage]:
    text = ""
    stream = model.stream(prompt, max_tokens=max_tokens, cancel=CancelToken())
    while True:
        try:
            text += next(stream)
        except StopIteration as end:
            return text, end.value.usage


def written(model: LlamaCppChatModel, prompt: Prompt, max_tokens: int) -> Written:
    stream = model.stream(prompt, max_tokens=max_tokens, cancel=CancelToken())
    while True:
        try:
            next(stream)
        except StopIteration as end:
            result: Written = end.value
            return result


def ask(text: str, system: str = "You are a helpful assistant.", answer_start: str = "") -> Prompt:
    return Prompt((Message("system", system), Message("user", text)), answer_start)


class TestAnswers:
    def test_a_question_is_answered(self, model: LlamaCppChatModel) -> None:
        assert "Paris" in read(model, ask("What is the capital of France?"), 30)[0]

    def test_the_answer_begins_behind_the_start_it_was_given(self, model: LlamaCppChatModel) -> None:
        text, _usage = read(model, ask("What is the capital of France?", answer_start="The capital of France is"), 6)

        assert text.startswith(" Paris")

    def test_a_choice_is_made_in_its_context(self, model: LlamaCppChatModel) -> None:
        prompt = ask("What is the capital of France?", answer_start="The capital of France is")

        choice = model.choose(prompt, [" London", " Paris", " Rome"], cancel=CancelToken())

        assert choice.best == " Paris"

    def test_a_choice_of_what_would_be_said_anyway_has_most_of_the_mass(self, model: LlamaCppChatModel) -> None:
        prompt = ask("What is the capital of France?", answer_start="The capital of France is")

        said = model.choose(prompt, [" Paris"], cancel=CancelToken())
        not_said = model.choose(prompt, [" cheese", " 42"], cancel=CancelToken())

        assert said.mass > 0.5
        assert not_said.mass < 0.01

    def test_a_text_that_is_cut_off_says_how_sure_the_model_was_of_what_it_wrote(self, model: LlamaCppChatModel) -> None:
        sure = written(model, ask("What is the capital of France?", answer_start="The capital of France is"), 1)
        unsure = written(model, ask("Say a random word."), 8)

        assert sure.confidence is not None and unsure.confidence is not None
        assert 0.0 < unsure.confidence < sure.confidence <= 1.0

    def test_labels_that_begin_alike_are_refused_in_words(self, model: LlamaCppChatModel) -> None:
        with pytest.raises(InvalidRequest, match="begin with the same token"):
            model.choose(ask("?"), [" yes", " yes, of course"], cancel=CancelToken())
        with pytest.raises(InvalidRequest, match="empty"):
            model.choose(ask("?"), ["", "no"], cancel=CancelToken())

    def test_a_runaway_answer_is_stopped(self, model: LlamaCppChatModel) -> None:
        prompt = ask("Repeat for ever: tick tock", answer_start="tick tock " * 60)

        _text, usage = read(model, prompt, 1500)

        assert usage.generated < 400


class Sentence(BaseModel):
    text: str = Field(min_length=30)


class Verdict(BaseModel):
    label: Literal["是", "否", 'a "quoted" one']
    points: list[str] = Field(max_length=2)
    sure: bool


class TestReplies:
    def test_chinese_and_quoted_values_fit(self, model: LlamaCppChatModel) -> None:
        reply = model.reply(ask("宋江是谁？请用中文回答。"), Verdict, max_tokens=200, cancel=CancelToken())

        assert len(reply.value.points) <= 2

    def test_a_reply_that_is_cut_off_is_unusable(self, model: LlamaCppChatModel) -> None:
        with pytest.raises(ReplyUnusable, match="cut off"):
            model.reply(STORY, Sentence, max_tokens=3, cancel=CancelToken())

    def test_a_type_without_a_grammar_is_an_error_and_no_crash(self, model: LlamaCppChatModel) -> None:
        class Free(BaseModel):
            anything: dict[str, int]

        pid = model.child.pid

        with pytest.raises(GrammarInvalid):
            model.reply(STORY, Free, max_tokens=10, cancel=CancelToken())

        assert model.child.pid == pid


class TestCache:
    def test_evaluated_and_reused_add_up_to_the_prompt(self, model: LlamaCppChatModel) -> None:
        first = model.choose(ask("Is the sea deep?"), ["yes", "no"], cancel=CancelToken()).usage
        again = model.choose(ask("Is the sea deep?"), ["yes", "no"], cancel=CancelToken()).usage

        assert again == Usage(1, first.evaluated + first.reused - 1, 0)

    @pytest.mark.parametrize(
        "ends",
        [("Is it wet?", "Is it safe?", "跑步可以吗？"), ("a?", "b?", "c?", "d?", "e?"), ("wet " * 300, "dry " * 300)],
        ids=["three short ends", "too many ends", "too long ends"],
    )
    def test_prompts_that_begin_alike_share_their_beginning_and_choose_as_alone(
        self, model: LlamaCppChatModel, ends: Sequence[str]
    ) -> None:
        prompts = [ask(f"{end} Answer yes or no.", f"On pier {len(ends)} nobody may run. " * 40) for end in ends]

        together = model.choose_each(prompts, ["yes", "no"], cancel=CancelToken())
        alone = [model.choose(prompt, ["yes", "no"], cancel=CancelToken()) for prompt in prompts]

        assert together[0].usage.evaluated > 300
        for choice, other in zip(together, alone, strict=True):
            # Whoever reads the beginning again reads it in other batches, and so small a model rounds visibly.
            assert dict(choice.probabilities) == pytest.approx(dict(other.probabilities), abs=0.05)
        assert all(choice.usage.reused > 300 for choice in together[1:])

    def test_branches_leave_nothing_behind(self, model: LlamaCppChatModel) -> None:
        beginning = "Nobody may run on the long pier. " * 40
        prompts = [ask(f"{end} " * 100, beginning) for end in ("wet", "dry", "high", "low")]

        for _ in range(12):
            model.choose_each(prompts, ["yes", "no"], cancel=CancelToken())
        again = model.choose_each(prompts, ["yes", "no"], cancel=CancelToken())

        assert again[0].usage.reused > 300

    def test_a_few_shot_beginning_stays_warm_while_answers_are_written(self, model: LlamaCppChatModel) -> None:
        examples = "Question: How many? Strategy: complex. " * 20
        model.choose(ask("First?", examples), ["a", "b"], cancel=CancelToken())
        for number in range(3):
            read(model, ask(f"Write about number {number} at length, please.", f"Rules {number}. " * 40), 80)

        usage = model.choose(ask("Second?", examples), ["a", "b"], cancel=CancelToken()).usage

        assert usage.evaluated < 20
        assert usage.reused > 150

    def test_a_cache_that_overflows_many_times_still_answers_alike(self, weights: Path) -> None:
        prompts = [
            ask(f"Where is ship {n}? " + f"Ship {n} lies in harbour {n * 7}. " * 50, answer_start=f"Ship {n} lies in harbour ")
            for n in range(7)
        ]
        with LlamaCppChatModel(lambda: weights, context_tokens=1024) as small:
            alone = [small.choose(prompt, "0123456789", cancel=CancelToken()) for prompt in prompts]
            again = [small.choose(prompt, "0123456789", cancel=CancelToken()) for prompt in prompts]

        read_tokens = sum(choice.usage.evaluated for choice in alone)
        assert read_tokens > 1024 + KEPT_TOKENS
        assert sum(choice.usage.evaluated for choice in again) > read_tokens / 2
        for n, choices in enumerate(zip(alone, again, strict=True)):
            assert [choice.best for choice in choices] == [str(n * 7)[0]] * 2


EXAMPLES = "Say A for questions about files and B for all others. " * 12


def kept(text: str) -> Prompt:
    """A prompt whose long beginning is worth keeping."""
    return Prompt((Message("system", EXAMPLES), Message("user", text)))


class TestKeptBeginnings:
    @pytest.fixture(autouse=True)
    def measured(self, weights: Path, tmp_path: Path) -> None:
        """A machine that was measured: its set-up stays the same from run to run."""
        CalibrationFile(tmp_path, weights, threads=0).write(EngineCalibration(Tuning(2, flash_attention=True), Speed(100.0, 30.0)))

    def test_a_beginning_that_was_kept_need_not_be_read_after_a_restart(self, weights: Path, tmp_path: Path) -> None:
        first, first_usage = self.ask(weights, tmp_path, "Where is the harbour?")
        second, second_usage = self.ask(weights, tmp_path, "Where is the harbour?")

        assert first_usage.reused == 0
        assert second_usage.evaluated < 30
        assert second_usage.reused > 150
        assert second == first

    @pytest.mark.parametrize("damage", ["bit", "cut", "empty"])
    def test_a_damaged_file_is_ignored_and_written_anew(self, weights: Path, tmp_path: Path, damage: str) -> None:
        first, _usage = self.ask(weights, tmp_path, "Where is the harbour?")
        [file] = (tmp_path / "beginnings").iterdir()
        data = file.read_bytes()
        wrong = {"bit": data[:5000] + bytes([data[5000] ^ 1]) + data[5001:], "cut": data[:-9], "empty": b""}[damage]
        file.write_bytes(wrong)

        second, usage = self.ask(weights, tmp_path, "Where is the harbour?")

        assert second == first
        assert usage.reused == 0
        assert file.read_bytes() == data

    def test_nothing_that_was_typed_or_read_is_kept(self, weights: Path, tmp_path: Path) -> None:
        with LlamaCppChatModel(lambda: weights, context_tokens=2048, cache=tmp_path) as model:
            model.keep([kept("?")], cancel=CancelToken())
            read(model, ask("Secret: the harbour is in Oslo. " * 30))
            assert not list(tmp_path.rglob("*.state"))

            read(model, kept("Where is the harbour?"))

        assert len(list(tmp_path.rglob("*.state"))) == 1

    def test_a_beginning_that_other_work_pushed_out_comes_back_from_disk(self, weights: Path, tmp_path: Path) -> None:
        with LlamaCppChatModel(lambda: weights, context_tokens=1024, cache=tmp_path) as model:
            model.keep([kept("?")], cancel=CancelToken())
            read(model, kept("Where is the harbour?"))
            for n in range(12):
                read(model, ask(f"Number {n}. " * 90, system=f"{n}"))

            _text, usage = read(model, kept("Who is the pilot?"))

        assert usage.reused > 150

    def test_a_missing_model_is_told_by_the_question_and_not_by_the_wish_to_keep(self, tmp_path: Path) -> None:
        with LlamaCppChatModel(lambda: tmp_path / "none.gguf", context_tokens=1024, cache=tmp_path) as model:
            model.keep([kept("?")], cancel=CancelToken())
            with pytest.raises(ModelMissing):
                read(model, kept("?"))

    def ask(self, weights: Path, cache: Path, question: str) -> tuple[str, Usage]:
        with LlamaCppChatModel(lambda: weights, context_tokens=2048, cache=cache) as model:
            model.keep([kept("?")], cancel=CancelToken())
            return read(model, kept(question), 12)


class People(BaseModel):
    people: list[Annotated[str, Field(max_length=40)]] = Field(min_length=1, max_length=4)


class Certain(BaseModel):
    kind: Literal["人物"]
    note: Literal["a\\b"]


class Sure(BaseModel):
    sure: bool
    note: Literal["The end of the form."]


class TestCertainText:
    def test_text_that_every_reply_has_is_not_generated(self, model: LlamaCppChatModel) -> None:
        reply = model.reply(ask("Anything."), Certain, max_tokens=40, cancel=CancelToken())

        assert reply.value == Certain(kind="人物", note="a\\b")
        assert reply.usage.generated == 0

    def test_certain_text_at_the_end_is_not_cut_off(self, model: LlamaCppChatModel) -> None:
        reply = model.reply(ask("Yes or no?"), Sure, max_tokens=1, cancel=CancelToken())

        assert reply.usage.generated == 1
        assert reply.value.note == "The end of the form."

    def test_only_what_is_open_is_generated(self, model: LlamaCppChatModel) -> None:
        reply = model.reply(ask("Is the sea salty?"), Verdict, max_tokens=40, cancel=CancelToken())

        assert 0 < reply.usage.generated <= 4


class TestPromptLookup:
    QUOTE = "Repeat this text exactly: The library in Elmstead opens at nine on weekdays and at ten on Saturdays."

    def test_it_can_be_switched_off_and_changes_no_word(self, model: LlamaCppChatModel, weights: Path) -> None:
        with LlamaCppChatModel(lambda: weights, context_tokens=1024, prompt_lookup=False) as plain:
            assert read(plain, ask(self.QUOTE), 40)[0] == read(model, ask(self.QUOTE), 40)[0]

    def test_a_reply_that_repeats_the_question_is_the_same_without_it(self, model: LlamaCppChatModel, weights: Path) -> None:
        names = "Anna Berg of Norwich, Bram Marrow of Elmstead and Ines Overton of Thornbury"
        prompts = [ask(f"List these people: {names}."), ask("Who are Anna Berg, Tom Berg and Anna Marrow?")]
        with LlamaCppChatModel(lambda: weights, context_tokens=1024, prompt_lookup=False) as plain:
            without = [plain.reply(prompt, People, max_tokens=80, cancel=CancelToken()) for prompt in prompts]

        replies = [model.reply(prompt, People, max_tokens=80, cancel=CancelToken()) for prompt in prompts]

        assert [reply.value for reply in replies] == [reply.value for reply in without]

    @pytest.mark.parametrize("max_tokens", [1, 5, 9])
    def test_a_reply_keeps_its_limit(self, model: LlamaCppChatModel, max_tokens: int) -> None:
        with pytest.raises(ReplyUnusable, match="cut off"):
            model.reply(
                ask("List these people: Anna Berg of Norwich, Anna Berg of Norwich."), People, max_tokens=max_tokens, cancel=CancelToken()
            )

    def test_a_text_that_repeats_itself_is_still_stopped(self, model: LlamaCppChatModel) -> None:
        prompt = ask("Write the same line again and again.", answer_start="The sea is blue. " * 12)

        assert written(model, prompt, 600).ending == "loop"

    def test_what_is_drafted_can_be_cancelled(self, model: LlamaCppChatModel) -> None:
        cancel = CancelToken()
        stream = model.stream(ask(self.QUOTE * 6), max_tokens=300, cancel=cancel)
        next(stream)
        cancel.cancel()

        with pytest.raises(Cancelled):
            list(stream)
        assert "Paris" in read(model, ask("What is the capital of France?"), 30)[0]


class TestCalibration:
    def test_a_model_is_measured_when_it_is_loaded_for_the_first_time(self, weights: Path, tmp_path: Path) -> None:
        with LlamaCppChatModel(lambda: weights, context_tokens=1024, cache=tmp_path) as model:
            assert model.speed is None
            # How it reads is measured here, and a busy machine may find that it reads faster without flash attention: see below.
            assert read(model, ask("What is the capital of France?"), 30)[0]

        assert CalibrationFile(tmp_path, weights, threads=0).read() is not None

    def test_what_was_measured_holds_in_the_next_run(self, weights: Path, tmp_path: Path) -> None:
        known = EngineCalibration(Tuning(1, flash_attention=False, microbatch=64), Speed(123.0, 45.0))
        CalibrationFile(tmp_path, weights, threads=0).write(known)

        with LlamaCppChatModel(lambda: weights, context_tokens=1024, cache=tmp_path) as model:
            assert model.speed == Speed(123.0, 45.0)
            # What so small a model says differs between processors without flash attention; that it speaks is enough.
            assert read(model, ask("What is the capital of France?"), 30)[0]

        assert CalibrationFile(tmp_path, weights, threads=0).read() == known

    def test_without_room_in_memory_nothing_is_measured(self, weights: Path, tmp_path: Path) -> None:
        with LlamaCppChatModel(lambda: weights, context_tokens=1024, cache=tmp_path, available_bytes=500_000_000) as model:
            assert read(model, ask("What is the capital of France?"), 4)[0]

        assert not list(tmp_path.glob("*.json"))

    def test_a_cache_that_cannot_be_written_costs_no_answer(self, weights: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way", encoding="utf-8")
        with LlamaCppChatModel(lambda: weights, context_tokens=1024, cache=tmp_path / "file") as model:
            model.keep([kept("?")], cancel=CancelToken())
            assert read(model, kept("What is the capital of France?"), 4)[0]
            assert model.speed is None

    def test_a_missing_model_has_no_speed(self, tmp_path: Path) -> None:
        assert LlamaCppChatModel(lambda: tmp_path / "none.gguf", context_tokens=1024, cache=tmp_path).speed is None


class TestStopping:
    def within_a_second(self, call: Callable[[CancelToken], object], after: float = 0.05) -> None:
        cancel = CancelToken()
        stopped: list[float] = []

        def stop() -> None:
            stopped.append(time.monotonic())
            cancel.cancel()

        timer = threading.Timer(after, stop)
        timer.start()
        with pytest.raises(Cancelled):
            call(cancel)
        timer.join()

        assert time.monotonic() - stopped[0] < 1.0

    def test_reading_a_long_prompt_is_cancelled_within_a_second_and_the_child_is_kept(self, model: LlamaCppChatModel) -> None:
        assert read(model, ask("Hello"))[0]
        pid = model.child.pid

        self.within_a_second(lambda cancel: model.choose(LONG, ["yes", "no"], cancel=cancel), after=0.3)

        assert read(model, ask("What is the capital of France?"), 30)[0].startswith("The capital of France is Paris")
        assert model.child.pid == pid

    def test_writing_is_cancelled_within_a_second_and_the_child_is_kept(self, model: LlamaCppChatModel) -> None:
        pid = model.child.pid

        self.within_a_second(lambda cancel: list(model.stream(STORY, max_tokens=3000, cancel=cancel)), after=0.3)

        assert read(model, ask("Hello"))[0]
        assert model.child.pid == pid


class TestCrashes:
    @pytest.mark.skipif(sys.platform == "win32", reason="signals")
    def test_a_child_killed_while_it_writes_is_reported_and_the_next_call_works(self, model: LlamaCppChatModel) -> None:
        stream = model.stream(STORY, max_tokens=1000, cancel=CancelToken())
        next(stream)
        assert model.child.pid is not None
        os.kill(model.child.pid, signal.SIGKILL)

        with pytest.raises(ChildCrashed, match="SIGKILL"):
            for _piece in stream:
                pass

        assert read(model, ask("Hello"))[0]


class TestWeights:
    def broken(self, tmp_path: Path, data: bytes) -> LlamaCppChatModel:
        file = tmp_path / "broken.gguf"
        file.write_bytes(data)
        return LlamaCppChatModel(lambda: file, context_tokens=1024)

    @pytest.mark.parametrize("kind", ["cut off", "zeros", "wrong magic", "text", "empty"])
    def test_a_broken_file_is_one_sentence_and_the_app_lives_on(self, weights: Path, tmp_path: Path, kind: str) -> None:
        head = weights.read_bytes()[:4_000_000]
        data = {"cut off": head, "zeros": bytes(100_000), "wrong magic": b"GGML" + head[4:], "text": b"not a model\n" * 1000, "empty": b""}[
            kind
        ]

        with self.broken(tmp_path, data) as model:
            for _ in range(2):
                with pytest.raises(ModelUnusable, match="Choose another GGUF file") as caught:
                    model.choose(STORY, ["yes", "no"], cancel=CancelToken())

        assert str(tmp_path) in caught.value.message

    def test_weights_that_llama_cpp_refuses_are_one_sentence_too(self, weights: Path, tmp_path: Path) -> None:
        data = weights.read_bytes().replace(b"token_embd.weight", b"token_embd.weighs", 1)

        with self.broken(tmp_path, data) as model, pytest.raises(ModelUnusable, match=r"llama\.cpp does not load it"):
            model.load(cancel=CancelToken())

    def test_a_missing_file_is_told_and_found_once_it_is_there(self, weights: Path, tmp_path: Path) -> None:
        file = tmp_path / "later.gguf"
        with LlamaCppChatModel(lambda: file, context_tokens=1024) as model:
            assert model.model_id == "none"
            assert model.context_tokens == 1024
            with pytest.raises(ModelMissing):
                model.load(cancel=CancelToken())

            file.symlink_to(weights)
            model.load(cancel=CancelToken())

            assert model.model_id == "later"

    def test_too_little_memory_is_told_before_anything_is_loaded(self, weights: Path) -> None:
        with (
            LlamaCppChatModel(lambda: weights, context_tokens=4096, available_bytes=200_000_000) as model,
            pytest.raises(NotEnoughMemory, match=r"needs .* GB of memory") as caught,
        ):
            model.load(cancel=CancelToken())

        assert "Close other programs" in caught.value.message

    def test_a_context_larger_than_the_model_was_trained_for_is_cut_to_it(self, weights: Path) -> None:
        with LlamaCppChatModel(lambda: weights, context_tokens=100_000) as model:
            assert model.context_tokens == 8192

    def test_a_prompt_over_the_window_says_the_numbers(self, model: LlamaCppChatModel) -> None:
        with pytest.raises(PromptTooLong) as caught:
            model.choose(ask("word " * 5000), ["yes", "no"], cancel=CancelToken())

        assert caught.value.details["context_tokens"] == 4096
        assert int(caught.value.details["prompt_tokens"]) > 5000


def test_importing_the_chat_model_loads_no_runtime() -> None:
    code = "import sys, models.factory; print(sorted({'llama_cpp', 'torch', 'transformers', 'sentence_transformers', 'jinja2'} & set(sys.modules)))"

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=PROGRAM, encoding="utf-8", check=True)

    assert answer.stdout.strip() == "[]"


def test_nothing_is_printed_in_normal_use(weights: Path) -> None:
    code = (
        "from pathlib import Path; from core.cancel import CancelToken; from core.documents import Message, Prompt;"
        "from models.chat_model import LlamaCppChatModel;"
        f"model = LlamaCppChatModel(lambda: Path({str(weights)!r}), context_tokens=1024);"
        "list(model.stream(Prompt((Message('user', 'Hello'),)), max_tokens=4, cancel=CancelToken())); model.close()"
    )

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=PROGRAM, encoding="utf-8", check=True)

    assert (answer.stdout, answer.stderr) == ("", "")
