from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from core.errors import ModelMissing, ModelUnusable
from models.backends.gguf_header import read_context_length, read_header
from tests.models.backends.gguf_files import PAIRS, gguf, pair, tensor, text


def test_a_whole_file_says_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / "tiny.gguf"
    file.write_bytes(gguf())

    header = read_header(file)

    assert (header.architecture, header.name, header.context_length) == ("llama", "Tiny", 2048)
    assert header.tensor_bytes == 64 * 8 * 4
    assert header.kv_bytes(1000) == 2 * 1000 * 2 * (16 + 16) * 2
    assert read_context_length(file) == 2048


BROKEN = {
    "empty": b"",
    "zeros": bytes(4096),
    "a text file": b"Once upon a time there was a file that was no model.\n" * 20,
    "a zip": b"PK\x03\x04" + bytes(100),
    "version 1": gguf(version=1),
    "a version of the future": gguf(version=99),
    "big-endian": gguf(version=0x03000000),
    "no tensors": gguf(tensors=()),
    "a tensor count that cannot be": gguf(tensor_count=2**63),
    "a pair count that cannot be": gguf(pair_count=2**63),
    "fewer pairs than it says": gguf(pair_count=9),
    "no architecture": gguf(pairs=[PAIRS["llama.context_length"]]),
    "no context": gguf(pairs=[PAIRS["general.architecture"]]),
    "an architecture that is a number": gguf(pairs=[pair("general.architecture", 4, struct.pack("<I", 7))]),
    "a context below nothing": gguf(pairs=[PAIRS["general.architecture"], pair("llama.context_length", 5, struct.pack("<i", -1))]),
    "a key twice": gguf(pairs=[PAIRS["general.architecture"], PAIRS["general.architecture"]]),
    "a key longer than the file": gguf(pairs=[struct.pack("<Q", 60_000) + b"x"]),
    "a text of 2**64 bytes": gguf(pairs=[text("general.name") + struct.pack("<IQ", 8, 2**64 - 1)]),
    "an unknown value type": gguf(pairs=[pair("x", 77, b"")]),
    "a list of an unknown type": gguf(pairs=[pair("x", 9, struct.pack("<IQ", 77, 1))]),
    "a list of lists": gguf(pairs=[pair("x", 9, struct.pack("<IQ", 9, 1))]),
    "a list longer than the file": gguf(pairs=[pair("x", 9, struct.pack("<IQ", 4, 10_000_000))]),
    "a list without end": gguf(pairs=[pair("x", 9, struct.pack("<IQ", 4, 2**62))]),
    "a tensor outside the file": gguf(data=100),
    "a tensor far outside the file": gguf(tensors=[tensor("t", [64, 8], 0, 2**60)]),
    "a tensor whose size wraps": gguf(tensors=[tensor("t", [2**32, 2**32], 0, 0)]),
    "a tensor of size 0": gguf(tensors=[tensor("t", [0, 8], 0, 0)]),
    "a tensor of 9 dimensions": gguf(tensors=[tensor("t", [1] * 9, 0, 0)]),
    "a tensor of an unknown type": gguf(tensors=[tensor("t", [64, 8], 999, 0)]),
    "a tensor off its place": gguf(tensors=[tensor("t", [64, 8], 0, 5)]),
    "a tensor with half a block": gguf(tensors=[tensor("t", [33], 2, 0)]),
    "a tensor twice": gguf(tensors=[tensor("t", [8], 0, 0), tensor("t", [8], 0, 0)]),
    "an odd alignment": gguf(pairs=[*PAIRS.values(), pair("general.alignment", 4, struct.pack("<I", 33))]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_in_a_sentence_that_says_what_to_do(name: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(BROKEN[name])

    with pytest.raises(ModelUnusable, match="Choose another GGUF file") as caught:
        read_header(file)

    assert "\n" not in caught.value.message
    assert caught.value.details["reason"]


def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    whole = gguf()
    file = tmp_path / "cut.gguf"

    for length in range(0, len(whole) - 1, 7):
        file.write_bytes(whole[:length])
        with pytest.raises(ModelUnusable):
            read_header(file)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        read_header(tmp_path / "nothing.gguf")
    with pytest.raises(ModelUnusable):
        read_header(tmp_path)
    assert read_context_length(tmp_path / "nothing.gguf") is None


def test_mutated_headers_are_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    whole = gguf()
    random_numbers = random.Random(16)
    file = tmp_path / "mutated.gguf"

    for _ in range(300):
        data = bytearray(whole)
        for _ in range(random_numbers.randint(1, 6)):
            data[random_numbers.randrange(500)] = random_numbers.choice([0, 1, 0x7F, 0x80, 0xFF, random_numbers.randrange(256)])
        file.write_bytes(data)
        try:
            header = read_header(file)
        except ModelUnusable:
            continue
        assert header.tensor_bytes <= len(data)


@pytest.mark.real
def test_the_starter_models_pass(starter_models: Path) -> None:
    for file in starter_models.glob("*/*.gguf"):
        header = read_header(file)

        assert header.context_length >= 8192
        assert header.tensor_bytes <= file.stat().st_size
