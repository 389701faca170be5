"""How fast chunks become vectors: against sentence-transformers with its default settings, and against a bare loop of the same encoder.

    python -m tests.quality.encoding [--files FOLDER ...] [--questions FILE.jsonl] [--chunks 96] [--rounds 3] [--model FOLDER] [--threads N]
                                     [--precision bfloat16]

Everything takes turns in one run, and the best round of each counts, by the clock and by the seconds of all processes on the processor,
which other programs on the machine disturb less. Without `--files` the chunks are those of our own documents. `--questions` are ranked over
the chunks, to show what another precision does to the order in which they are found. The chunks are
spread evenly over each of the files or folders. On a busy machine nothing is chosen; then `--precision` says what to measure.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.cancel import CancelToken
from core.errors import DocumentUnreadable
from core.library.chunking import CountTokens, chunk
from core.library.extraction import extract
from core.paths import RESOURCES, Paths
from core.protocols import Vectors
from core.settings import ModelSettings
from core.store.records import embedding_text
from core.store.storable import storable
from models.backends.encoder_batches import BATCH_TOKENS, MAX_TOKENS
from models.backends.encoder_folder import read_encoder_folder
from models.backends.encoder_precision import Precision, PrecisionChoice, PrecisionFile
from models.catalog import locate_embedder
from models.embedder import SentenceTransformersEmbedder
from models.machine import default_threads
from tests.quality.report import commit, machine

OWN_FILES = (Path(__file__).parent / "graph_questions" / "docs", RESOURCES / "sample_library")
OWN_QUESTIONS = Path(__file__).parent / "graph_questions" / "questions.jsonl"
# As in the child process, before torch is imported: threads that spin while they wait take the cores from each other.
ENVIRONMENT = {"OMP_WAIT_POLICY": "PASSIVE", "TOKENIZERS_PARALLELISM": "false", "TRANSFORMERS_VERBOSITY": "error"}
OFFLINE = dict.fromkeys(("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_PROGRESS_BARS"), "1")
DEFAULT, BARE, OURS, EXACT = "sentence-transformers, default", "bare loop, same encoder", "the app", "the app in float32"
FOUND = 10


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock, and seconds that all processes had the processor (0 where that is not told)."""

    seconds: float
    processor_seconds: float


def best(rounds: Sequence[Took]) -> Took:
    """The best round by each clock."""
    return Took(min(one.seconds for one in rounds), min(one.processor_seconds for one in rounds))


def times_as_fast(one: Took, other: Took) -> str:
    """How many times as fast `one` is as `other`."""
    by_processor = f", {other.processor_seconds / one.processor_seconds:.2f} by processor time" if one.processor_seconds else ""
    return f"{other.seconds / one.seconds:.2f} by the clock{by_processor}"


def spread(items: Sequence[str], count: int) -> list[str]:
    """At most `count` of the items, evenly spread over them, in order."""
    return list(items) if len(items) <= count else [items[index * len(items) // count] for index in range(count)]


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Indexes of texts with these lengths, longest first, in batches of at most so many tokens with padding."""
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    start = 0
    while start < len(order):
        batch = order[start : start + max(1, tokens // max(1, lengths[order[start]]))]
        yield batch
        start += len(batch)


def overlap(found: Vectors, wanted: Vectors, queries: Vectors, exact_queries: Vectors, k: int = FOUND) -> tuple[float, float]:
    """Share of the k nearest passages that both have, and how often the nearest is the same, over all queries."""
    k = min(k, len(found))
    same, first = 0, 0
    for query, exact in zip(queries, exact_queries, strict=True):
        one, two = (list(np.argsort(-(vectors @ asked))[:k]) for vectors, asked in ((found, query), (wanted, exact)))
        same += len(set(one) & set(two))
        first += one[0] == two[0]
    return same / (k * len(queries)), first / len(queries)


def chunks_of(files: Sequence[Path], count: int, count_tokens: CountTokens) -> list[str]:
    """What would be embedded of these folders, about the same number of chunks of each."""
    taken: list[str] = []
    for folder in files:
        texts: list[str] = []
        for file in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if not file.is_file():
                continue
            try:
                extracted = extract(file, file.read_bytes())
            except DocumentUnreadable:
                continue
            text, title = storable(extracted.text), storable(extracted.title)
            spans = chunk(text, extracted.kind, count_tokens)
            texts += [embedding_text(title, storable(span.heading_path), text[span.start : span.end]) for span in spans]
        taken += spread(texts, max(1, count // len(files)))
    return taken


def processor_seconds(pid: int | None) -> float:
    """Seconds that another process had the processor; 0 where that is not told."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


def in_turns(
    rounds: int, runs: Mapping[str, tuple[Callable[[], Vectors], SentenceTransformersEmbedder | None]]
) -> tuple[dict[str, Took], dict[str, Vectors]]:
    """The best round of each run, and its vectors. The embedder says in which child the work is done."""
    took: dict[str, list[Took]] = {name: [] for name in runs}
    vectors: dict[str, Vectors] = {}
    for _ in range(rounds):
        for name, (run, embedder) in runs.items():
            pid = embedder.child.pid if embedder else None
            started, worked, child = time.perf_counter(), time.process_time(), processor_seconds(pid)
            vectors[name] = run()
            told = processor_seconds(pid) - child if embedder else 1.0
            worked = time.process_time() - worked + (told if embedder else 0.0)
            took[name].append(Took(time.perf_counter() - started, worked if told else 0.0))
    return {name: best(kept) for name, kept in took.items()}, vectors


def measure(
    model: Path, texts: Sequence[str], questions: Sequence[str], *, threads: int, rounds: int, precision: Precision | None = None
) -> Iterator[str]:
    """The lines of the report. `precision` takes the place of what would be chosen."""
    os.environ.update(ENVIRONMENT | OFFLINE | dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads)))
    # Imported here: they read the environment when they are loaded.
    import torch
    from sentence_transformers import SentenceTransformer

    cancel = CancelToken()
    folder = read_encoder_folder(model)
    with ExitStack() as closing:
        cache = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        if precision:
            PrecisionFile(cache, folder, threads=threads).write(PrecisionChoice(precision))
        ours = closing.enter_context(SentenceTransformersEmbedder(lambda: model, threads=threads, cache=cache))
        exact = closing.enter_context(SentenceTransformersEmbedder(lambda: model, threads=threads))
        started = time.perf_counter()
        exact.load(cancel=cancel)
        ours.load(cancel=cancel)
        loaded = time.perf_counter() - started
        if hasattr(os, "nice"):
            os.nice(5)  # as the children, which would inherit it
        settled = ours.settle(cancel=cancel)
        assert settled is not None
        yield f"{model.name}; {len(texts)} chunks; {threads} threads; {machine()}; commit {commit()}; best of {rounds}"
        yield (
            f"{'given' if precision else 'chosen'}: {settled['precision']}, {settled['speed_up']:.2f} times as fast on the golden texts, "
            f"smallest cosine {settled['cosine']:.5f}; measured in {settled['seconds']:.1f} s{settled['failed'] and ' (' + settled['failed'] + ')'}"
        )
        yield f"two processes loaded in {loaded:.1f} s"
        torch.set_num_threads(threads)
        default = SentenceTransformer(str(model), device="cpu", local_files_only=True)
        kind = {"dtype": getattr(torch, settled["precision"]), "use_safetensors": True}
        bare = SentenceTransformer(str(model), device="cpu", local_files_only=True, model_kwargs=kind)
        bare.max_seq_length = min(bare.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        lengths = [min(length, MAX_TOKENS) for length in ours.count_tokens(texts)]
        groups = list(batches(lengths, BATCH_TOKENS))

        def loop() -> Vectors:
            vectors = np.empty((len(texts), folder.dimension), dtype=np.float32)
            for group in groups:
                together = [texts[index] for index in group]
                vectors[group] = bare.encode(together, prompt=folder.passage_prompt, batch_size=len(group), show_progress_bar=False)
            return vectors

        took, vectors = in_turns(
            rounds,
            {
                DEFAULT: (lambda: np.asarray(default.encode(list(texts), prompt=folder.passage_prompt, show_progress_bar=False)), None),
                BARE: (loop, None),
                OURS: (lambda: ours.embed_passages(texts, cancel=cancel), ours),
                EXACT: (lambda: exact.embed_passages(texts, cancel=cancel), exact),
            },
        )
        for name, one in took.items():
            yield f"{name + ':':32} {len(texts) / one.seconds:6.2f} chunks/s, {sum(lengths) / one.seconds:7.0f} tokens/s"
        yield f"the app / bare loop:             {times_as_fast(took[OURS], took[BARE])}"
        yield f"the app / default:               {times_as_fast(took[OURS], took[DEFAULT])}"
        yield f"the app in float32 / default:    {times_as_fast(took[EXACT], took[DEFAULT])}"
        cosines = np.sum(vectors[OURS] * vectors[EXACT], axis=1)
        yield f"cosine to float32:               smallest {cosines.min():.5f}, mean {cosines.mean():.5f}"
        asked: dict[str, Vectors] = {}
        for name, embedder in ((OURS, ours), (EXACT, exact)):
            seconds = []
            rows = []
            for question in questions:
                started = time.perf_counter()
                rows.append(embedder.embed_query(question, cancel=cancel))
                seconds.append(time.perf_counter() - started)
            asked[name] = np.stack(rows)
            yield f"a query, {name + ':':23} p50 {sorted(seconds)[len(seconds) // 2] * 1000:.0f} ms of {len(seconds)}"
        for name, queries in (("both in it", asked[OURS]), ("passages alone in it", asked[EXACT])):
            same, first = overlap(vectors[OURS], vectors[EXACT], queries, asked[EXACT])
            yield f"order of passages, {name}: {same:.1%} of the {FOUND} nearest are the same, the nearest in {first:.1%}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.encoding", description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--files", type=Path, nargs="+", default=list(OWN_FILES))
    parser.add_argument("--questions", type=Path, default=OWN_QUESTIONS)
    parser.add_argument("--chunks", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", type=Path, help="a sentence-transformers folder; without it the best installed one")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--precision", choices=("float32", "bfloat16"), help="instead of what is measured to be best now")
    options = parser.parse_args(arguments)
    model = options.model or locate_embedder(ModelSettings(), Paths(Path()))
    with SentenceTransformersEmbedder(lambda: model) as counting:
        texts = chunks_of(options.files, options.chunks, counting.count_tokens)
    lines = options.questions.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines if line.strip()]
    threads = options.threads or default_threads()
    for line in measure(model, texts, questions, threads=threads, rounds=options.rounds, precision=options.precision):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
