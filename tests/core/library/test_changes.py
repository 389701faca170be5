from __future__ import annotations

from pathlib import Path

from core.library.changes import Pace, PendingChanges

DOCS = Path("/docs")
PACE = Pace(quiet=1.0, patience=5.0, steady=60.0)


def add(pending: PendingChanges, name: str, now: float, source: Path = DOCS) -> None:
    pending.add(source / name, source, now)


def names(paths: tuple[Path, ...]) -> list[str]:
    return [path.relative_to(DOCS).as_posix() for path in paths]


def test_nothing_is_due_while_nothing_changed() -> None:
    pending = PendingChanges(PACE)

    assert pending.due_in(100.0) is None
    assert pending.take(100.0) == ()


def test_a_burst_is_one_batch_after_a_quiet_moment() -> None:
    pending = PendingChanges(PACE)
    for number in range(10):
        add(pending, f"{number}.txt", 100 + number * 0.3)

    assert pending.take(103.6) == ()
    assert pending.due_in(102.7) == 1.0
    assert len(pending.take(103.7)) == 10
    assert not pending and pending.take(200.0) == ()


def test_a_save_by_way_of_another_name_is_one_batch() -> None:
    pending = PendingChanges(PACE)
    for name in ("letter.txt.tmp", "letter.txt.tmp", "letter.txt"):
        add(pending, name, 100.0)

    assert names(pending.take(101.0)) == ["letter.txt", "letter.txt.tmp"]


def test_what_is_quiet_gets_through_beside_a_file_that_never_is() -> None:
    pending = PendingChanges(PACE)
    add(pending, "letter.txt", 100.0)
    taken: dict[str, float] = {}
    for tenth in range(1000, 1700):
        now = tenth / 10
        add(pending, "server.log", now)
        taken.update(dict.fromkeys(names(pending.take(now)), now))

    assert taken == {"letter.txt": 105.0, "server.log": 160.0}


def test_the_time_to_wait_is_told_for_a_file_that_is_never_quiet() -> None:
    pending = PendingChanges(PACE)
    add(pending, "server.log", 100.0)
    add(pending, "server.log", 130.0)

    assert pending.due_in(130.5) == 0.5  # it may have become quiet by then
    assert pending.due_in(150.0) == 0.0


def test_more_paths_than_are_worth_naming_become_the_folder_they_share() -> None:
    pending = PendingChanges(PACE, max_paths=10)
    for number in range(20):
        add(pending, f"project/part{number % 3}/{number}.txt", 100.0)
    add(pending, "elsewhere/note.txt", 100.0)
    add(pending, "a.txt", 100.0, source=Path("/other"))

    assert pending.take(101.0) == (DOCS / "elsewhere/note.txt", DOCS / "project", Path("/other/a.txt"))


def test_after_a_folder_was_passed_on_its_files_are_named_again() -> None:
    pending = PendingChanges(PACE, max_paths=10)
    for number in range(20):
        add(pending, f"project/{number}.txt", 100.0)
    pending.take(101.0)

    add(pending, "project/7.txt", 102.0)

    assert names(pending.take(103.0)) == ["project/7.txt"]


def test_changes_of_a_source_that_is_no_longer_wanted_are_forgotten() -> None:
    pending = PendingChanges(PACE)
    add(pending, "a.txt", 100.0)
    add(pending, "b.txt", 100.0, source=Path("/other"))

    pending.keep([DOCS])

    assert names(pending.take(101.0)) == ["a.txt"]
