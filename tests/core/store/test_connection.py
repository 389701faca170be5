from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from core.errors import IndexDamaged, NotEnoughDisk, StoreLocked
from core.store.connection import Database
from core.store.file_system import is_on_network

PROJECT = Path(__file__).resolve().parents[3]


def create_notes(connection: apsw.Connection) -> None:
    connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT) STRICT")


def add_column(connection: apsw.Connection) -> None:
    connection.execute("ALTER TABLE notes ADD COLUMN colour TEXT NOT NULL DEFAULT 'plain'")


def notes(path: Path, *migrations: object, busy_milliseconds: int = 20) -> Database:
    return Database(
        path,
        name="The notes",
        migrations=migrations or (create_notes,),  # type: ignore[arg-type]
        damaged=IndexDamaged,
        synchronous="normal",
        with_vectors=True,
        busy_milliseconds=busy_milliseconds,
    )


def count(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.execute("SELECT count(*) FROM notes").get)


def add(database: Database, text: str = "x") -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO notes (text) VALUES (?)", (text,))


def test_no_other_account_can_read_the_files(tmp_path: Path) -> None:
    database = notes(tmp_path / "new" / "notes.db")

    add(database)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [tmp_path / "new", *(tmp_path / "new").iterdir()]}
    assert modes["new"] == 0o700
    assert {mode & 0o077 for mode in modes.values()} == {0}
    assert "notes.db-wal" in modes
    database.close()


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.touch(mode=0o644)
    path.chmod(0o644)

    database = notes(path)
    add(database)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    database.close()


@pytest.mark.parametrize("on_network", [False, True])
def test_another_connection_of_this_process_does_not_take_a_writers_lock_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_network: bool
) -> None:
    monkeypatch.setattr("core.store.connection.is_on_network", lambda path: on_network)
    database = notes(tmp_path / "notes.db")
    add(database)
    write = "import apsw, sys; apsw.Connection(sys.argv[1]).execute('BEGIN IMMEDIATE')"

    with database.writing() as connection:
        connection.execute("INSERT INTO notes (text) VALUES ('y')")
        reader = threading.Thread(target=count, args=(database,))
        reader.start()
        reader.join()
        other = subprocess.run([sys.executable, "-c", write, str(database.path)], capture_output=True, text=True, check=False)

    assert "BusyError" in other.stderr
    assert count(database) == 2
    database.close()


def test_a_failed_block_changes_nothing(tmp_path: Path) -> None:
    database = notes(tmp_path / "notes.db")
    add(database)

    with pytest.raises(ZeroDivisionError), database.writing() as connection:
        connection.execute("DELETE FROM notes")
        1 / 0  # noqa: B018

    assert count(database) == 1
    database.close()


def test_readers_see_the_old_state_while_another_thread_writes(tmp_path: Path) -> None:
    database = notes(tmp_path / "notes.db")
    add(database)
    seen: list[int] = []

    with database.writing() as connection:
        connection.execute("DELETE FROM notes")
        reader = threading.Thread(target=lambda: seen.append(count(database)))
        reader.start()
        reader.join(10)

    assert seen == [1]
    assert count(database) == 0
    database.close()


def test_a_file_held_by_another_program_is_reported_as_locked(tmp_path: Path) -> None:
    database = notes(tmp_path / "notes.db")
    add(database)
    other = apsw.Connection(str(tmp_path / "notes.db"))
    other.execute("BEGIN EXCLUSIVE")

    with pytest.raises(StoreLocked):
        add(database)

    other.execute("ROLLBACK")
    other.close()
    add(database)
    assert count(database) == 2
    database.close()


def test_migrations_run_once_each_and_keep_the_rows(tmp_path: Path) -> None:
    old = notes(tmp_path / "notes.db", create_notes)
    add(old)
    old.close()

    new = notes(tmp_path / "notes.db", create_notes, add_column)

    with new.reading() as connection:
        assert connection.execute("SELECT colour FROM notes").get == "plain"
        assert connection.pragma("user_version") == 2
    new.close()


def test_a_migration_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    old = notes(tmp_path / "notes.db", create_notes)
    add(old)
    old.close()

    def half(connection: apsw.Connection) -> None:
        add_column(connection)
        raise RuntimeError("cut off")

    with pytest.raises(RuntimeError):
        count(notes(tmp_path / "notes.db", create_notes, half))

    again = notes(tmp_path / "notes.db", create_notes)
    assert count(again) == 1
    again.close()


def test_a_file_of_a_newer_version_is_refused_in_plain_words(tmp_path: Path) -> None:
    new = notes(tmp_path / "notes.db", create_notes, add_column)
    add(new)
    new.close()
    old = notes(tmp_path / "notes.db", create_notes)

    with pytest.raises(IndexDamaged, match="newer version") as caught:
        count(old)

    assert caught.value.code == "made_by_newer_version"


@pytest.mark.parametrize("content", [b"\0" * 4096, b"not a database at all" * 500, b"SQLite format 3\0" + b"\xff" * 4096])
def test_what_is_no_database_is_reported_as_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notes.db").write_bytes(content)

    with pytest.raises(IndexDamaged):
        count(notes(tmp_path / "notes.db"))


def test_a_folder_in_the_place_of_the_file_is_reported_as_damaged(tmp_path: Path) -> None:
    (tmp_path / "notes.db").mkdir()

    with pytest.raises(IndexDamaged):
        count(notes(tmp_path / "notes.db"))


def test_moving_aside_starts_anew_and_keeps_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_bytes(b"broken" * 1000)
    database = notes(tmp_path / "notes.db")

    aside = database.move_aside()

    assert aside is not None
    assert aside.read_bytes() == b"broken" * 1000
    assert count(database) == 0
    database.close()


def test_no_extension_can_be_loaded_by_a_statement(tmp_path: Path) -> None:
    database = notes(tmp_path / "notes.db")

    with database.reading() as connection:
        assert connection.execute("SELECT vec_version()").get
        with pytest.raises(apsw.Error):
            connection.execute("SELECT load_extension('anything')")
    database.close()


def test_the_schema_cannot_be_written_to(tmp_path: Path) -> None:
    database = notes(tmp_path / "notes.db")
    add(database)

    with pytest.raises(IndexDamaged, match="may not be modified"), database.writing() as connection:
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute("UPDATE sqlite_schema SET sql = 'x'")

    assert count(database) == 1
    database.close()


FILL_THE_DISK = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import runpy
from core.errors import NotEnoughDisk
module = runpy.run_path(sys.argv[3])
add, count, notes = module["add"], module["count"], module["notes"]
database = notes(Path(sys.argv[1]))
add(database, "first")
try:
    for _ in range(1000):
        add(database, "y" * 20_000)
except NotEnoughDisk as error:
    print("full:", error.message)
print("readable:", count(database) > 0)
print("sound:", database.integrity_problems() == [])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are a POSIX thing")
def test_a_full_disk_is_named_and_harms_nothing(tmp_path: Path) -> None:
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

    child = subprocess.run(
        [sys.executable, "-c", FILL_THE_DISK, str(tmp_path / "notes.db"), str(PROJECT), __file__],
        preexec_fn=limit, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip

    assert child.stdout.splitlines() == [
        f"full: The disk that holds {tmp_path} is full. Free some space and try again.",
        "readable: True",
        "sound: True",
    ]
    after = notes(tmp_path / "notes.db")
    assert count(after) > 0
    add(after)
    after.close()


def test_errors_of_the_disk_are_not_taken_for_a_full_one(tmp_path: Path) -> None:
    if os.name != "posix" or not Path("/proc/self/mem").exists():
        pytest.skip("needs /proc")

    with pytest.raises(IndexDamaged) as caught:
        count(notes(Path("/proc/no-such-folder/notes.db")))

    assert not isinstance(caught.value, NotEnoughDisk)


MOUNTS = "/dev/a / ext4 rw 0 0\nnas:/x /mnt/nas nfs4 rw 0 0\ntmpfs /mnt/nas/local tmpfs rw 0 0\nme@h: /home/my\\040disk fuse.sshfs rw 0 0\n"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/etc/x", False), ("/mnt/nas/a.db", True), ("/mnt/nas2/a.db", False), ("/mnt/nas/local/a.db", False), ("/home/my disk/a.db", True)],
)
def test_network_disks_are_known_by_their_type(path: str, expected: bool) -> None:
    assert is_on_network(Path(path), MOUNTS) is expected


def test_there_is_no_write_ahead_log_on_a_network_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.store.connection.is_on_network", lambda path: True)
    database = notes(tmp_path / "notes.db")

    add(database)

    assert [path.name for path in tmp_path.iterdir() if path.name.endswith("-wal")] == []
    assert count(database) == 1
    database.close()
