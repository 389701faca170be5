from __future__ import annotations

import os
import subprocess
import sys
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from models.backends.allocator import give_back_memory, page_out
from models.embedder import encoder_environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc, and glibc alone keeps memory so")

_PROGRAM = Path(__file__).parents[3]
_HELD = """
def held():
    with open("/proc/self/smaps_rollup") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss_Anon"))
"""
# As many shapes as a few thousand passages make. Without a bound it is some 400 MB where the processor has bfloat16, and nothing elsewhere.
_ENCODES_MANY_SHAPES = """
import torch
torch.set_num_threads(2)
layer = torch.nn.Linear(384, 1536, dtype=torch.bfloat16)
with torch.inference_mode():
    layer(torch.zeros(8, 384, dtype=torch.bfloat16))
    before = held()
    for rows in range(9, 600):
        layer(torch.zeros(rows, 384, dtype=torch.bfloat16))
print(held() - before)
"""
_KEEPS_THE_LAST_OF_MANY = """
from models.backends.allocator import give_back_memory
def fill():
    blocks = [bytes([number % 256]) * 50_000 for number in range(4_000)]
    return blocks[-1]
kept = fill()
before = held()
give_back_memory()
print(before - held())
"""


class _Circle:
    def __init__(self) -> None:
        self.itself = self


def test_what_only_refers_to_itself_goes() -> None:
    circle = weakref.ref(_Circle())

    give_back_memory()

    assert circle() is None


def test_what_lies_below_something_in_use_goes_back_to_the_system() -> None:
    assert _said_by(_KEEPS_THE_LAST_OF_MANY) > 100_000


def test_what_is_paged_out_is_there_again_when_it_is_needed(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    np.arange(300_000, dtype=np.float32).tofile(file)
    for held in (np.memmap(file, dtype=np.float32, mode="r"), np.arange(300_000, dtype=np.float32)):
        assert float(held.sum(dtype=np.float64)) == 300_000 * 299_999 / 2

        page_out(held.ctypes.data + 12, held.nbytes - 12)

        assert np.array_equal(held, np.arange(300_000, dtype=np.float32))


def test_the_encoder_keeps_no_more_for_ever_new_shapes() -> None:
    assert _said_by(_ENCODES_MANY_SHAPES, encoder_environment(threads=2)) < 150_000


def _said_by(program: str, environment: Mapping[str, str] = MappingProxyType({})) -> int:
    """Kibibytes that a Python program prints."""
    done = subprocess.run(
        [sys.executable, "-c", _HELD + program], cwd=_PROGRAM, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return int(done.stdout)
