from __future__ import annotations

import json
import struct
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from core.errors import InstallFailed
from models.e5_convert import bert_tensors, convert, tokenizer_description
from models.e5_file import dequantise, read_e5

HIDDEN, WIDE, VOCABULARY, POSITIONS = 32, 64, 10, 4
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁a", "▁", "～", "b", "<mask>"]


def block(scale: float, nibbles: list[int]) -> bytes:
    """One Q4_0 block: a scale and 32 nibbles."""
    return struct.pack("<e", scale) + bytes(low | high << 4 for low, high in zip(nibbles[:16], nibbles[16:], strict=True))


def e5_file(path: Path, *, magic: bytes = b"E5S1", version: int = 1, block_weights: int = 32) -> Path:
    """A tiny encoder of one layer in the file's form; quantised matrices are random, everything else too."""
    generator = np.random.default_rng(7)
    head = magic + struct.pack("<I7ifi", version, HIDDEN, 1, 2, WIDE, VOCABULARY, POSITIONS, 2, 1e-12, block_weights)
    text = [piece.encode() for piece in PIECES]
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, text)))
    head += (
        np.cumsum([0, *map(len, text)]).astype("<u4").tobytes() + np.linspace(-9, -1, len(PIECES)).astype("<f4").tobytes() + b"".join(text)
    )
    map_entries = struct.pack("<IBI", 0xFF21, 1, ord("A"))
    head += struct.pack("<iI", 1, len(map_entries)) + map_entries
    shapes = {
        "emb.word": (VOCABULARY, HIDDEN),
        "emb.pos": (POSITIONS, HIDDEN),
        "emb.type": (2, HIDDEN),
        "emb.ln.w": (HIDDEN,),
        "emb.ln.b": (HIDDEN,),
    }
    for name in ("q", "k", "v", "ao", "fi", "fo", "aln", "oln"):
        rows, columns = {"fi": (WIDE, HIDDEN), "fo": (HIDDEN, WIDE)}.get(name, (HIDDEN, HIDDEN))
        shapes[f"l0.{name}.w"] = (HIDDEN,) if name in ("aln", "oln") else (rows, columns)
        shapes[f"l0.{name}.b"] = (rows,)
    directory, data = b"", b""
    start = len(head) + 4 + sum(2 + len(name) + 21 for name in shapes)
    for name, shape in shapes.items():
        count = int(np.prod(shape))
        quantised = len(shape) == 2 and name not in ("emb.pos", "emb.type")
        if quantised:
            raw = b"".join(block(0.25, generator.integers(0, 16, 32).tolist()) for _ in range(count // 32))
        else:
            raw = generator.normal(size=count).astype("<f4").tobytes()
        directory += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", int(quantised), count, start + len(data), len(raw))
        data += raw
    path.write_bytes(head + struct.pack("<i", len(shapes)) + directory + data)
    return path


def test_a_block_holds_its_first_half_in_the_low_nibbles() -> None:
    raw = np.frombuffer(block(0.5, list(range(16)) + [15] * 16), np.uint8)

    values = dequantise(raw)

    assert values[:16].tolist() == [(n - 8) * 0.5 for n in range(16)]
    assert values[16:].tolist() == [3.5] * 16


def test_every_tensor_of_a_bert_model_is_written_with_its_shape(tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    source = e5_file(tmp_path / "tiny.bin")
    folder = tmp_path / "out"
    folder.mkdir()

    convert(source, folder)

    written = load_file(folder / "model.safetensors")
    file = read_e5(source)
    for name, target, shape in bert_tensors(file):
        assert np.array_equal(written[target], file.tensor(name).reshape(shape))
    assert set(written) - {target for _, target, _ in bert_tensors(file)} == {"pooler.dense.weight", "pooler.dense.bias"}
    assert all(values.dtype == np.float32 for values in written.values())


def test_two_conversions_are_the_same_bytes(tmp_path: Path) -> None:
    source = e5_file(tmp_path / "tiny.bin")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        convert(source, tmp_path / name)

    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.*") if path.is_file())

    assert len(files) == 8
    assert all((tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes() for file in files)


def test_the_folder_says_how_to_prompt_and_pool(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()

    convert(e5_file(tmp_path / "tiny.bin"), folder)

    assert json.loads((folder / "config_sentence_transformers.json").read_text(encoding="utf-8"))["prompts"] == {
        "query": "query: ",
        "passage": "passage: ",
    }
    assert json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))["pooling_mode_mean_tokens"] is True
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["dtype"] == "float32"


def test_the_tokenizer_normalises_as_the_original_does(tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(json.dumps(tokenizer_description(read_e5(e5_file(tmp_path / "tiny.bin")))))

    normal = tokenizer.normalizer.normalize_str
    assert normal("ＡＢ\u200bＣ\tx\x07y") == "AB C xy"
    assert normal("～") == "～"
    assert normal("ﬁ①㌔") == unicodedata.normalize("NFKC", "ﬁ①㌔")
    assert tokenizer.encode(" a  ～ ").tokens == ["<s>", "▁a", "▁", "～", "</s>"]
    assert tokenizer.encode("a", "a").ids == [0, 4, 2, 2, 4, 2]
    assert tokenizer.encode("").ids == [0, 2]


@pytest.mark.parametrize(
    ("changes", "words"), [({"magic": b"GGUF"}, "not an E5S1"), ({"version": 2}, "not an E5S1"), ({"block_weights": 64}, "blocks of 64")]
)
def test_another_file_is_refused(tmp_path: Path, changes: dict[str, int], words: str) -> None:
    with pytest.raises(InstallFailed, match=words):
        read_e5(e5_file(tmp_path / "tiny.bin", **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("kept_bytes", [3, 40, 60, 130])
def test_a_file_that_ends_early_is_refused(tmp_path: Path, kept_bytes: int) -> None:
    source = e5_file(tmp_path / "tiny.bin")
    source.write_bytes(source.read_bytes()[:kept_bytes])

    with pytest.raises(InstallFailed, match="ends too early"):
        read_e5(source)


def test_missing_weights_are_refused(tmp_path: Path) -> None:
    source = e5_file(tmp_path / "tiny.bin")
    source.write_bytes(source.read_bytes()[:-36])

    with pytest.raises(InstallFailed, match="damaged"):
        convert(source, tmp_path)


_RANK = """
import sys, warnings
warnings.simplefilter("error")
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(sys.argv[1], device="cpu", local_files_only=True, model_kwargs={"dtype": "float32"})
passages = ["武松在景阳冈打死了一只老虎。", "The capital of France is Paris.", "海南岛是中国最南端的省份。", "Python was created by Guido van Rossum.",
            "宋江是梁山泊的首领。", "Tigers are the largest cats."]
queries = ["谁打死了老虎？", "What is the capital of France?", "海南在哪里", "who invented Python?", "梁山泊的头领是谁", "biggest cat"]
scores = model.encode(queries, prompt_name="query") @ model.encode(passages, prompt_name="passage").T
print(scores.argmax(1).tolist(), model.max_seq_length)
"""


@pytest.mark.real
def test_the_real_model_loads_without_a_warning_and_ranks_chinese_and_english(starter_models: Path) -> None:
    command = [sys.executable, "-c", _RANK, str(starter_models / "multilingual-e5-small")]

    answer = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)

    assert answer.stdout.strip() == "[0, 1, 2, 3, 4, 5] 512", answer.stderr
    assert "warn" not in answer.stderr.lower() and "MISSING" not in answer.stderr
