"""The watcher over real files and the system's own events."""

from __future__ import annotations

import errno
import logging
import os
import queue
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from core.cancel import CancelToken
from core.errors import Cancelled
from core.library.changes import Pace
from core.library.system_watches import SystemWatches
from core.library.watching import SourceWatcher

PACE = Pace(quiet=0.6, patience=2.0, steady=3.0, check=0.1, rescan=1.0)
AT_EASE = Pace(quiet=2.0, patience=60.0, check=0.1)
"""For what has to be one batch, also on a machine that is busy with other things."""

WAIT_SECONDS = 60


class Watching:
    """A watcher and all that it said, in order."""

    def __init__(self, pace: Pace = PACE, make_observer: Callable[[], BaseObserver] = Observer, **rest: Any) -> None:
        self.batches: queue.SimpleQueue[tuple[Path, ...]] = queue.SimpleQueue()
        self.unwatched: queue.SimpleQueue[tuple[Path, ...]] = queue.SimpleQueue()
        make_watches = partial(SystemWatches, make_observer=make_observer)
        self.watcher = SourceWatcher(self.batches.put, on_unwatched=self.unwatched.put, pace=pace, make_watches=make_watches, **rest)

    def watch(self, *sources: Path) -> None:
        self.watcher.watch(sources, CancelToken(), patience_seconds=WAIT_SECONDS)

    def batch(self) -> tuple[Path, ...]:
        return self.batches.get(timeout=WAIT_SECONDS)

    def until(self, *wanted: Path) -> set[Path]:
        """Everything that is said until all that is `wanted` is."""
        said: set[Path] = set()
        while not said.issuperset(wanted):
            said |= set(self.batch())
        return said

    def nothing_but(self, canary: Path) -> None:
        """Fails if anything is said before, or with, a file that is written now."""
        canary.write_text("canary", encoding="utf-8")
        assert self.batch() == (canary,)


Watch = Callable[..., Watching]


@pytest.fixture
def watching() -> Iterator[Watch]:
    made: list[Watching] = []
    threads_before = set(threading.enumerate())

    def make(pace: Pace = PACE, **rest: Any) -> Watching:
        made.append(Watching(pace, **rest))
        return made[-1]

    yield make
    for one in made:
        assert one.watcher.stop(WAIT_SECONDS)
    assert set(threading.enumerate()) <= threads_before, "a thread was left behind"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_new_a_changed_and_a_deleted_file_are_said(watching: Watch, docs: Path) -> None:
    changed, deleted = write(docs / "sub" / "changed.txt"), write(docs / "deleted.txt")
    one = watching()
    one.watch(docs)

    new = write(docs / "new.txt")
    changed.write_text("other", encoding="utf-8")
    deleted.unlink()

    assert one.until(new, changed, deleted) == {new, changed, deleted}


def test_an_editor_s_save_by_way_of_another_file_is_one_batch(watching: Watch, docs: Path) -> None:
    file = write(docs / "letter.txt")
    one = watching(AT_EASE)
    one.watch(docs)

    temporary = write(docs / "letter.txt.tmp", "new text")
    os.replace(temporary, file)

    assert one.batch() == (file, temporary)
    one.nothing_but(docs / "canary.txt")


def test_a_move_says_both_places_in_one_batch_also_between_sources(watching: Watch, docs: Path, tmp_path: Path) -> None:
    here, there = write(docs / "a.txt"), tmp_path / "other" / "b.txt"
    there.parent.mkdir()
    one = watching(AT_EASE)
    one.watch(docs, there.parent)

    os.rename(here, there)

    assert one.batch() == (here, there)


def test_a_checkout_of_thousands_of_files_is_few_batches_that_name_folders(watching: Watch, docs: Path) -> None:
    one = watching(AT_EASE)
    one.watch(docs)

    files = [write(docs / "project" / f"part{number % 20}" / f"{number}.txt") for number in range(2_000)]

    batches = [one.batch()]
    while not all(any(path in said for path in (file, *file.parents)) for said in [set().union(*batches)] for file in files):
        batches.append(one.batch())
    # Mostly it is the folder alone; on a machine that pauses for seconds a batch may come before there are too many to name.
    assert all(len(batch) <= 1_000 for batch in batches)
    assert len(batches) < 50


def test_files_in_folders_that_came_with_their_files_are_said(watching: Watch, docs: Path, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "deep" / "a.txt")
    one = watching()
    one.watch(docs)

    shutil.move(tmp_path / "elsewhere", docs / "moved in")
    one.until(docs / "moved in")
    file = write(docs / "moved in" / "deep" / "b.txt")

    one.until(file)


def test_a_file_that_never_rests_holds_nothing_up_and_gets_through_itself(watching: Watch, docs: Path) -> None:
    one = watching()
    one.watch(docs)
    stopped = threading.Event()

    def go_on() -> None:
        with open(docs / "server.log", "w", encoding="utf-8") as log:
            while not stopped.wait(0.02):
                log.write("line\n")
                log.flush()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        one.until(write(docs / "letter.txt"), docs / "server.log")
    finally:
        stopped.set()
        thread.join()


def test_what_scanning_leaves_out_is_not_said(watching: Watch, docs: Path, tmp_path: Path) -> None:
    home = docs / "home of the app"
    home.mkdir()
    one = watching(ignored=[home])
    one.watch(docs)

    for name in (".hidden", ".git/index", "node_modules/x/y.js", "a/__pycache__/x.pyc", "Thumbs.db", home.name + "/index.db"):
        write(docs / name)
    shutil.rmtree(docs / ".git")

    said = one.until(write(docs / "kept.txt"))
    assert said <= {docs / "kept.txt", docs / ".git", docs / "node_modules", docs / "a", docs / "a" / "__pycache__"}
    assert docs / ".git" not in said


def test_reading_a_file_is_no_change(watching: Watch, docs: Path) -> None:
    file = write(docs / "a.txt")
    one = watching()
    one.watch(docs)

    file.read_text(encoding="utf-8")
    os.listdir(docs)

    one.nothing_but(docs / "canary.txt")


def test_files_linked_by_themselves_are_watched_and_their_neighbours_are_not(watching: Watch, docs: Path) -> None:
    linked = write(docs / "linked.txt")
    one = watching()
    one.watch(linked)

    write(docs / "neighbour.txt")
    os.replace(write(docs / "linked.txt.tmp", "saved anew"), linked)
    assert one.until(linked) == {linked}

    linked.unlink()
    assert one.until(linked) == {linked}


def test_events_come_under_the_name_that_was_linked(watching: Watch, docs: Path, tmp_path: Path) -> None:
    write(docs / "a.txt")
    folder_link, file_link = tmp_path / "link", tmp_path / "link.txt"
    folder_link.symlink_to(docs, target_is_directory=True)
    file_link.symlink_to(docs / "a.txt")
    one = watching()
    one.watch(folder_link, file_link)

    write(docs / "a.txt", "other")

    assert one.until(folder_link / "a.txt", file_link) == {folder_link / "a.txt", file_link}


def test_a_source_that_is_added_is_watched_and_one_that_is_removed_is_not(watching: Watch, docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    one = watching()
    one.watch(docs)

    one.watch(other)

    write(docs / "a.txt")
    one.nothing_but(other / "canary.txt")


def test_one_and_the_same_source_goes_on_being_watched(watching: Watch, docs: Path) -> None:
    one = watching()
    for _ in range(3):
        one.watch(docs)

    one.nothing_but(docs / "canary.txt")


def test_a_source_that_appears_later_is_said_and_then_watched(watching: Watch, tmp_path: Path) -> None:
    stick = tmp_path / "drive" / "stick"
    one = watching()
    one.watch(stick)

    write(stick / "a.txt")
    one.until(stick)
    file = write(stick / "b.txt")

    one.until(file)


def test_a_drive_that_is_unplugged_and_plugged_in_again_is_said_and_watched(watching: Watch, tmp_path: Path) -> None:
    drive = tmp_path / "drive"
    write(drive / "stick" / "a.txt")
    one = watching()
    one.watch(drive / "stick")

    drive.rename(tmp_path / "elsewhere")
    assert one.batch() == (drive / "stick",)
    (tmp_path / "elsewhere").rename(drive)
    assert one.batch() == (drive / "stick",)

    one.nothing_but(drive / "stick" / "canary.txt")


def test_a_source_that_is_deleted_and_made_anew_is_watched_again(watching: Watch, docs: Path) -> None:
    write(docs / "a.txt")
    one = watching()
    one.watch(docs)

    shutil.rmtree(docs)
    one.until(docs)
    file = write(docs / "b.txt")
    one.until(docs)
    file.write_text("other", encoding="utf-8")

    one.until(file)


def test_a_folder_that_another_took_the_place_of_is_said_and_watched(watching: Watch, docs: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other" / "b.txt").parent
    one = watching()
    one.watch(docs)

    docs.rename(tmp_path / "old")
    other.rename(docs)
    one.until(docs)

    one.until(write(docs / "a.txt"))


def test_names_of_any_bytes_are_said(watching: Watch, docs: Path) -> None:
    one = watching()
    one.watch(docs)
    name = Path(os.fsdecode(os.fsencode(docs) + b"/caf\xe9.txt"))
    if not _can_be_written(name):
        pytest.skip("this file system wants names in one encoding")

    assert one.batch() == (name,)


def _can_be_written(path: Path) -> bool:
    try:
        path.write_text("text", encoding="utf-8")
    except OSError:
        return False
    return True


# When the system will not


class Limited:
    """Makes observers as a system does that has no more watches, or no more observers, to give."""

    def __init__(self) -> None:
        self.watches_left: int | None = None
        self.has_observers = True

    def __call__(self) -> BaseObserver:
        if not self.has_observers:
            raise OSError(errno.EMFILE, "inotify instance limit reached")
        observer = Observer()
        schedule = observer.schedule

        def schedule_if_one_is_left(*given: Any, **named: Any) -> Any:
            if self.watches_left is not None:
                if self.watches_left == 0:
                    raise OSError(errno.ENOSPC, "inotify watch limit reached")
                self.watches_left -= 1
            return schedule(*given, **named)

        observer.schedule = schedule_if_one_is_left  # type: ignore[method-assign]
        return observer


def test_without_the_system_s_help_sources_are_looked_through_now_and_then(watching: Watch, docs: Path) -> None:
    limited = Limited()
    limited.has_observers = False
    one = watching(make_observer=limited)

    one.watch(docs)

    assert one.unwatched.get(timeout=WAIT_SECONDS) == (docs,)
    assert one.batch() == one.batch() == (docs,)

    limited.has_observers = True
    assert one.unwatched.get(timeout=WAIT_SECONDS) == ()
    one.until(write(docs / "a.txt"))


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of Linux")
def test_folders_below_that_got_no_watch_are_looked_through_now_and_then(watching: Watch, docs: Path) -> None:
    limited = Limited()
    limited.watches_left = 1  # for the folder itself; the folders in it go without, and watchdog does not say so
    one = watching(make_observer=limited)

    one.watch(docs)

    assert one.unwatched.get(timeout=WAIT_SECONDS) == (docs,)
    one.until(docs)

    limited.watches_left = None
    assert one.unwatched.get(timeout=WAIT_SECONDS) == ()


def test_after_lost_events_everything_is_looked_at_twice(watching: Watch, docs: Path) -> None:
    one = watching(Pace(quiet=0.6, patience=2.0, check=0.1, rescan=1.5))
    one.watch(docs)

    logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed; filesystem events were lost")

    assert one.batch() == (docs,)
    assert one.batch() == (docs,)
    one.nothing_but(docs / "canary.txt")


@pytest.mark.skipif(sys.platform != "linux", reason="a queue of Linux")
def test_a_queue_that_really_overflows_is_noticed(watching: Watch, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from watchdog.observers.inotify_c import InotifyFD

    reads = threading.Event()
    # In a folder where nothing is noticed: nothing but the loss itself can make the watcher speak.
    files = [write(docs / ".git" / str(number)) for number in range(2)]
    handle = InotifyFD.handle_event
    monkeypatch.setattr(InotifyFD, "handle_event", lambda self, event: reads.wait(WAIT_SECONDS) and handle(self, event))
    one = watching()
    one.watch(docs)

    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="ascii"))
    for number in range(limit + 5_000):
        os.utime(files[number % 2])  # an event that is the same as the one before would not be queued
    reads.set()

    assert one.batch() == (docs,)


def test_a_watcher_whose_observer_died_begins_anew(watching: Watch, docs: Path) -> None:
    made: list[BaseObserver] = []

    def make() -> BaseObserver:
        made.append(Observer())
        return made[-1]

    one = watching(make_observer=make)
    one.watch(docs)

    made[0].stop()

    one.until(docs)
    one.until(write(docs / "a.txt"))


def test_a_source_that_takes_too_long_is_said_once_it_is_watched(watching: Watch, docs: Path) -> None:
    may_go_on = threading.Event()

    def slow() -> BaseObserver:
        assert may_go_on.wait(WAIT_SECONDS)
        return Observer()

    one = watching(make_observer=slow)
    one.watcher.watch([docs], CancelToken(), patience_seconds=0.05)

    may_go_on.set()

    assert one.batch() == (docs,)


def test_waiting_for_the_system_can_be_cancelled(watching: Watch, docs: Path) -> None:
    may_go_on, cancel = threading.Event(), CancelToken()

    def slow() -> BaseObserver:
        cancel.cancel()
        assert may_go_on.wait(WAIT_SECONDS)
        return Observer()

    one = watching(make_observer=slow)
    with pytest.raises(Cancelled):
        one.watcher.watch([docs], cancel, patience_seconds=WAIT_SECONDS)
    may_go_on.set()


def test_a_stop_ends_all_threads_and_later_calls_do_nothing(watching: Watch, docs: Path) -> None:
    before = threading.active_count()
    one = watching()
    one.watch(docs)
    assert threading.active_count() > before

    assert one.watcher.stop(WAIT_SECONDS) and one.watcher.stop(0)

    assert threading.active_count() == before
    one.watch(docs)
    assert threading.active_count() == before
