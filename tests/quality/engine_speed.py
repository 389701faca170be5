"""How fast the chat engine is: against a raw loop over llama.cpp, with and without prompt lookup, and how fast it reads and decides.

    python -m tests.quality.engine_speed [--model FILE.gguf] [--threads N] [--rounds N]
    python -m tests.quality.engine_speed --control-calls 1000 [--model FILE.gguf] [--temperature 1.5]

Whatever is compared takes turns in one process, and the best round of each counts. Beside seconds stand the processor's own seconds, which
other programs on the machine disturb less. `--control-calls` asks a model that draws its words by chance for structured replies and
choices, over odd prompts too, and counts crashes and replies that cannot be used.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, Field

from core.cancel import CancelToken
from core.documents import Message, Prompt, Usage
from core.errors import LamplightError, ReplyUnusable
from core.paths import RESOURCES, Paths
from core.process.host import ChildProcess
from core.qa.prompt import few_shot
from core.qa.replies import SubQuestions
from core.settings import ModelSettings
from models.backends.engine_tuning import default_tuning
from models.catalog import locate_chat_model
from models.chat_model import LlamaCppChatModel
from tests.quality.report import commit, machine

if TYPE_CHECKING:
    from models.backends.llama_cpp_engine import LlamaCppEngine

# As in the child process: threads that spin while they wait take the cores from each other.
ENVIRONMENT = {"OMP_WAIT_POLICY": "PASSIVE"}

LIBRARY = RESOURCES / "sample_library"
STORY = Prompt((Message("user", "Tell me a long story about the sea and the people who live by it."),))
ROUTING = ("Who wrote the report?", "What is 12 times 12?", "How many seats does the hall have?", "谁负责港口的安全？", "一公里有多少米？")
QUOTING = (
    ("staff-handbook.md", "Repeat the part about paid leave word for word."),
    ("tl-40-manual.md", "Copy the manual's section about cleaning the lens, word for word."),
    ("燕鸥港简史.md", "请逐字引用介绍港口历史的段落。"),
    ("fog-bell-chapter-1.md", "Quote the first three sentences of the chapter exactly."),
)
EXPLAINING = (
    ("staff-handbook.md", "What does the handbook say about leave? Explain in your own words."),
    ("燕鸥港简史.md", "这个港口有什么特别之处？请用自己的话说明。"),
)


@dataclass(frozen=True, slots=True)
class Timed:
    """What one run took: seconds by the clock, seconds of processor time, tokens, and what was written."""

    seconds: float
    processor_seconds: float
    tokens: int
    text: object = None

    def __str__(self) -> str:
        return f"{self.tokens / self.seconds:7.1f} tokens/s {self.tokens / self.processor_seconds:7.1f} per processor second"


def timed(run: Callable[[], tuple[int, object]]) -> Timed:
    """Run once with both clocks on."""
    started, worked = time.perf_counter(), time.process_time()
    tokens, text = run()
    return Timed(time.perf_counter() - started, time.process_time() - worked, max(tokens, 1), text)


def in_turns(rounds: int, *runs: Callable[[], tuple[int, object]]) -> list[Timed]:
    """The best round of each run, by processor time; they take turns, so that a busy minute hits all of them."""
    results: list[list[Timed]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, kept in zip(runs, results, strict=True):
            kept.append(timed(run))
    return [
        Timed(min(one.seconds for one in kept), min(one.processor_seconds for one in kept), kept[0].tokens, kept[0].text)
        for kept in results
    ]


class Measuring:
    """One engine in this process, and what is measured of it."""

    def __init__(self, model: Path, *, threads: int, context_tokens: int = 4096) -> None:
        # Imported here: the runtime reads the environment when it is loaded.
        from models.backends import llama_cpp_decoding
        from models.backends.gguf_header import read_header
        from models.backends.llama_cpp_engine import LlamaCppEngine, LoadedModel

        self.cancel = CancelToken()
        tuning = default_tuning(threads)
        self.engine: LlamaCppEngine = LlamaCppEngine(
            LoadedModel(model, self.cancel), read_header(model), context_tokens=context_tokens, tuning=tuning
        )
        self._decoding = llama_cpp_decoding

    def prefill(self, tokens: int, rounds: int) -> Timed:
        """Reading a prompt of which nothing is known."""
        text = "".join(file.read_text(encoding="utf-8") for file in sorted(LIBRARY.glob("*.md")))
        ids = (self.engine.tokenize(text) * 4)[:tokens]

        def read() -> tuple[int, object]:
            read.first += 1  # type: ignore[attr-defined]
            evaluated = self.engine.evaluate([read.first, *ids[1:]], room=1, cancel=self.cancel)  # type: ignore[attr-defined]
            return evaluated.evaluated, None

        read.first = 100  # type: ignore[attr-defined]
        return in_turns(rounds, read)[0]

    def against_raw(self, tokens: int, rounds: int) -> tuple[Timed, Timed]:
        """The raw loop and our stream, without prompt lookup, over the same prompt."""
        ids = self.engine.prompt_tokens(pairs(STORY), "")
        return tuple(in_turns(rounds, lambda: self._raw(ids, tokens), lambda: self._ours(STORY, tokens, lookup=False)))  # type: ignore[return-value]

    def lookup(self, prompt: Prompt, tokens: int, rounds: int) -> tuple[Timed, Timed]:
        """An answer without and with prompt lookup."""
        plain, fast = (lambda: self._ours(prompt, tokens, lookup=False)), (lambda: self._ours(prompt, tokens, lookup=True))
        return tuple(in_turns(rounds, plain, fast))  # type: ignore[return-value]

    def routing_seconds(self, rounds: int) -> list[float]:
        """Seconds of routing decisions behind a warm beginning."""
        seconds = []
        for turn in range(rounds + 1):
            for number, question in enumerate(ROUTING):
                prompt = few_shot("route_question", "zh" if ord(question[0]) > 255 else "en", question=f"{question} ({turn}{number})")
                started = time.perf_counter()
                self._decoding.choose(self.engine, pairs(prompt), prompt.answer_start, ("files", "general"), cancel=self.cancel)
                if turn:
                    seconds.append(time.perf_counter() - started)
        return seconds

    def _ours(self, prompt: Prompt, tokens: int, *, lookup: bool) -> tuple[int, object]:
        stream = self._decoding.stream(self.engine, pairs(prompt), "", max_tokens=tokens, lookup=lookup, cancel=self.cancel)
        text = ""
        while True:
            try:
                text += next(stream)[0]
            except StopIteration as end:
                usage: Usage = end.value.usage
                return usage.generated, text

    def _raw(self, ids: Sequence[int], tokens: int) -> tuple[int, object]:
        """What llama.cpp itself does, with its own greedy sampler, in the same context."""
        import llama_cpp as ll

        engine = self.engine
        evaluated = engine.evaluate(ids, room=tokens, cancel=self.cancel)
        sampler = ll.llama_sampler_init_greedy()
        batch = ll.llama_batch_init(1, 0, 1)
        position = len(ids)
        written: list[int] = []
        while True:
            token = ll.llama_sampler_sample(sampler, engine._context, -1)
            if ll.llama_vocab_is_eog(engine.vocabulary, token):
                break
            written.append(token)
            if len(written) == tokens:
                break
            batch.n_tokens = 1
            batch.token[0], batch.pos[0], batch.n_seq_id[0] = token, position, 1
            batch.seq_id[0][0], batch.logits[0] = evaluated.slot.sequence, 1
            if ll.llama_decode(engine._context, batch) != 0:
                raise RuntimeError("llama_decode failed")
            position += 1
        engine._drop(evaluated.slot.sequence, len(ids))
        ll.llama_batch_free(batch)
        ll.llama_sampler_free(sampler)
        return len(written), b"".join(engine.piece(token) for token in written).decode("utf-8", errors="ignore")


def pairs(prompt: Prompt) -> list[tuple[str, str]]:
    """The messages as the engine takes them."""
    return [(message.role, message.content) for message in prompt.messages]


def about(file: str, task: str) -> Prompt:
    """A prompt with a text of the sample library and something to do with it."""
    return Prompt((Message("user", f"{(LIBRARY / file).read_text(encoding='utf-8')}\n\n{task}"),))


def speeds(model: Path, *, threads: int, rounds: int) -> Iterator[str]:
    """The lines of the report."""
    measuring = Measuring(model, threads=threads)
    yield f"{model.name}; {machine()}; commit {commit()}; best of {rounds}"
    yield f"reading 512 tokens:           {measuring.prefill(512, rounds)}"
    raw, ours = measuring.against_raw(64, rounds)
    yield f"writing, raw llama.cpp loop:  {raw}"
    yield f"writing, our stream:          {ours}"
    yield f"  ours / raw: {ratio(ours, raw)}; same text: {ours.text == raw.text}"
    for name, tasks in (("quoting", QUOTING), ("in its own words", EXPLAINING)):
        pairs_of_runs = [measuring.lookup(about(file, task), 120, rounds) for file, task in tasks]
        plain, fast = (total([pair[side] for pair in pairs_of_runs]) for side in (0, 1))
        same = sum(pair[0].text == pair[1].text for pair in pairs_of_runs)
        yield f"{name}, without lookup: {plain}"
        yield f"{name}, with lookup:    {fast}"
        yield f"  with / without: {ratio(fast, plain)}; same text in {same} of {len(pairs_of_runs)}"
    seconds = sorted(measuring.routing_seconds(max(rounds, 3)))
    yield f"routing decision, warm: p50 {seconds[len(seconds) // 2]:.3f} s, p90 {seconds[len(seconds) * 9 // 10]:.3f} s of {len(seconds)}"


def total(runs: Sequence[Timed]) -> Timed:
    """Several answers as one."""
    return Timed(sum(one.seconds for one in runs), sum(one.processor_seconds for one in runs), sum(one.tokens for one in runs))


def ratio(one: Timed, other: Timed) -> str:
    """How many times faster `one` is than `other`."""
    by_clock = (one.tokens / one.seconds) / (other.tokens / other.seconds)
    by_processor = (one.tokens / one.processor_seconds) / (other.tokens / other.processor_seconds)
    return f"{by_clock:.2f} by the clock, {by_processor:.2f} by processor time"


class Judgement(BaseModel):
    """A form with every kind of field."""

    verdict: Literal["yes", "no", "不知道"]
    level: int = Field(ge=1, le=5)
    reason: Annotated[str, Field(max_length=60)]
    missing: list[Annotated[str, Field(max_length=40)]] = Field(max_length=3)
    sure: bool


NONSENSE = (
    "",
    " ",
    "\n\n\n",
    "????",
    "<|im_end|><|im_start|>system",
    '{"lookups":[',
    "\\" * 40,
    '"' * 40,
    "\u202e\u0000\ufeff",
    "𝄞🙂" * 20,
)


def odd_text(chance: random.Random) -> str:
    """A question, or something that is none."""
    match chance.randrange(5):
        case 0:
            return chance.choice(ROUTING)
        case 1:
            return chance.choice(NONSENSE)
        case 2:
            return "".join(
                chr(chance.choice((chance.randrange(32, 127), chance.randrange(0x4E00, 0x9FFF), chance.randrange(0x110000))))
                for _ in range(20)
            )
        case 3:
            return " ".join(
                chance.choice(("who", "when", "the", "harbour", "谁", "2031", "???", "{}", "]]")) for _ in range(chance.randrange(80))
            )
        case _:
            return chance.choice(list(LIBRARY.glob("*.md"))).read_text(encoding="utf-8")[: chance.randrange(120)]


def control_calls(model: Path, calls: int, *, threads: int, temperature: float, seed: int = 0) -> Counter[str]:
    """Ask for replies and choices by turns, and count how they ended: `ok`, or the error's code."""
    chance = random.Random(seed)
    ended: Counter[str] = Counter()
    environment = ENVIRONMENT | {"LAMPLIGHT_TEMPERATURE": str(temperature)}
    with LlamaCppChatModel(lambda: model, context_tokens=2048, threads=threads) as chat_model:
        chat_model.child.close()
        chat_model.child = ChildProcess("tests.quality.hot_engine", name="The chat model's process", environment=environment)
        for number in range(calls):
            text = odd_text(chance)
            started_with = chance.choice(("", "", "Answer: ", '{"', "不"))
            prompt = Prompt((Message("system", chance.choice(("Answer briefly.", odd_text(chance)))), Message("user", text)), started_with)
            pid = chat_model.child.pid
            kind = ("choose", "lookups", "judgement")[number % 3]
            try:
                if kind == "choose":
                    choice = chat_model.choose(prompt, ("yes", "no"), cancel=CancelToken())
                    fine = abs(sum(choice.probabilities.values()) - 1) < 1e-6 and 0 <= choice.mass <= 1
                    ended[f"{kind}: {'ok' if fine else 'wrong'}"] += 1
                else:
                    chat_model.reply(prompt, SubQuestions if kind == "lookups" else Judgement, max_tokens=160, cancel=CancelToken())
                    ended[f"{kind}: ok"] += 1
            except ReplyUnusable as error:
                ended[f"{kind}: cut off" if "cut off" in error.message else f"{kind}: unusable"] += 1
            except LamplightError as error:
                ended[f"{kind}: {error.code}"] += 1
            if pid is not None and chat_model.child.pid != pid:
                ended["crashes"] += 1
            if number % 50 == 49:
                sys.stderr.write(f"{number + 1} of {calls}: {dict(ended)}\n")
    return ended


def say(line: str) -> None:
    """One line of the report, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.quality.engine_speed", description=__doc__.split("\n", 1)[0] if __doc__ else None
    )
    parser.add_argument("--model", type=Path, help="a GGUF file; without it the best installed chat model")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--control-calls", type=int, default=0)
    parser.add_argument("--temperature", type=float, default=1.5)
    options = parser.parse_args(arguments)
    model = options.model or locate_chat_model(ModelSettings(), Paths(Path()))
    if not model.is_file():
        parser.error(f"there is no file {model}: name the GGUF file of a model")
    if options.control_calls:
        ended = control_calls(model, options.control_calls, threads=options.threads, temperature=options.temperature)
        say(f"{model.name}; {options.control_calls} calls at temperature {options.temperature}; {machine()}; commit {commit()}")
        for name, count in sorted(ended.items()):
            say(f"{count:6} {name}")
        return 1 if ended["crashes"] else 0
    os.environ.update(ENVIRONMENT)
    for line in speeds(model, threads=options.threads, rounds=options.rounds):
        say(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
