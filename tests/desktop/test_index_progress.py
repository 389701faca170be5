"""The line that shows how far an indexing command is."""

from __future__ import annotations

from pathlib import Path

from core.documents import IndexedFile
from core.events import EmbedderLoading, EmbedderReady, FileSearchable, FileStarted, IndexProgress, IndexStarted
from desktop.commands.indexing import progress_line
from desktop.library.index_pace import IndexPace


def pace_at(*progress: tuple[float, IndexProgress]) -> IndexPace:
    """The pace of a run that was so far at these seconds."""
    now = [0.0]
    pace = IndexPace(lambda: now[0])
    pace.follow(IndexStarted(400))
    for seconds, event in progress:
        now[0] = seconds
        pace.follow(event)
    return pace


def test_while_files_are_read_the_line_counts_them_and_promises_nothing() -> None:
    pace = pace_at((1.0, IndexProgress(60, 400, 0, 700)))
    pace.follow(FileStarted(Path("/notes/a.md"), 0, 400))
    assert progress_line(pace) == "Reading 60/400 files: a.md"

    pace = pace_at((5.0, IndexProgress(300, 400, 0, 3000)))
    assert progress_line(pace) == "Reading 300/400 files, 60/s"


def test_then_it_counts_passages_and_tells_the_time_left_once_it_was_measured() -> None:
    pace = pace_at((10.0, IndexProgress(400, 400, 0, 45_000)), (16.0, IndexProgress(400, 400, 32, 45_000)))
    assert progress_line(pace) == "32/45,000 passages"

    pace = pace_at((15.0, IndexProgress(400, 400, 200, 45_000)), (40.0, IndexProgress(400, 400, 1200, 45_000)))
    pace.follow(FileSearchable(IndexedFile(Path("/notes/b.md"), "waiting", chunks=9), 0, 400))
    assert progress_line(pace) == "1,200/45,000 passages, 40/s, 19 min left: b.md"


def test_it_says_that_the_embedding_model_is_loaded() -> None:
    pace = pace_at((10.0, IndexProgress(400, 400, 0, 45_000)))

    pace.follow(EmbedderLoading())
    assert progress_line(pace) == "0/45,000 passages, loading the embedding model"

    pace.follow(EmbedderReady())
    assert progress_line(pace) == "0/45,000 passages"


def test_hours_and_seconds_are_rounded_up() -> None:
    slow = pace_at((20.0, IndexProgress(400, 400, 60, 45_000)), (30.0, IndexProgress(400, 400, 90, 45_000)))
    assert progress_line(slow).endswith("3.0/s, 4 h 10 min left")

    nearly = pace_at((2.0, IndexProgress(400, 400, 32, 1000)), (10.0, IndexProgress(400, 400, 999, 1000)))
    assert progress_line(nearly).endswith("1 s left")
