from __future__ import annotations

import os

from models.machine import available_memory_bytes, default_threads, memory_available_in, physical_cores, processor_name


def test_there_is_at_least_one_core_and_never_more_threads_than_processors() -> None:
    assert 1 <= default_threads() <= physical_cores() <= (os.cpu_count() or 1)


def test_free_memory_is_a_sensible_number() -> None:
    available = available_memory_bytes()

    assert available is None or 50_000_000 < available < 2**50


def test_available_memory_is_read_from_meminfo() -> None:
    assert memory_available_in("MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable:   2048 kB\n") == 2048 * 1024
    assert memory_available_in("MemTotal: 100 kB\n") is None


def test_a_processor_is_told_by_the_same_name_every_time() -> None:
    assert processor_name() == processor_name() != ""
