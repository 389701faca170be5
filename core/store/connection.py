"""One SQLite file, opened when first needed, private to its owner, with a connection for each thread."""

from __future__ import annotations

import errno
import os
import stat
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import apsw

from core.errors import LamplightError, NotEnoughDisk, Permanent, StoreLocked
from core.store.file_system import is_on_network

Migration = Callable[[apsw.Connection], None]

_BUSY_MILLISECONDS = 5000
_CACHE_KIBIBYTES = 64 * 1024
_DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


class Database:
    """A SQLite file with numbered migrations.

    Nothing is opened before the first use. Each thread gets a connection of its own, so readers work while another thread
    writes. Every failure comes out as `StoreLocked`, `NotEnoughDisk` or the `damaged` type given here.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        migrations: tuple[Migration, ...],
        damaged: type[Permanent],
        synchronous: Literal["full", "normal"],
        with_vectors: bool = False,
        busy_milliseconds: int = _BUSY_MILLISECONDS,
    ) -> None:
        self.path = path
        self._name = name
        self._migrations = migrations
        self._damaged = damaged
        self._synchronous = synchronous
        self._with_vectors = with_vectors
        self._busy_milliseconds = busy_milliseconds
        self._local = threading.local()
        self._lock = threading.Lock()
        self._generation = 0
        self._open: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._migrated = False

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """The calling thread's connection, with one consistent view of the file for the whole block."""
        with self._named_errors():
            connection = self._connection()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                self._end(connection, "ROLLBACK")

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[apsw.Connection]:
        """The calling thread's connection in one transaction: all of the block happens, or nothing of it.

        With `durable` it survives a cut of the power once the block has ended, and so does every transaction before it. In a database
        whose `synchronous` is full that is always so.
        """
        with self._named_errors():
            connection = self._connection()
            waits_for_disk = durable and self._synchronous != "full"
            if waits_for_disk:
                connection.pragma("synchronous", "full")
            try:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    self._end(connection, "ROLLBACK")
                    raise
            finally:
                if waits_for_disk:
                    connection.pragma("synchronous", self._synchronous)

    def close(self) -> None:
        """Close every connection; the next use opens the file again. No other thread may be using it."""
        with self._lock:
            self._generation += 1
            self._migrated = False
            connections = list(self._open)
            self._open.clear()
        for connection in connections:
            connection.close(True)

    def integrity_problems(self) -> list[str]:
        """What SQLite's own integrity check finds wrong, at most 20 lines; an empty list means nothing."""
        with self.reading() as connection:
            rows = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
        return [] if rows == ["ok"] else rows

    def make_durable(self) -> None:
        """Wait until the disk holds everything that was committed: what follows may rely on it after a cut of the power, too.

        Costs nothing where that is so already. While another connection reads, a part of the write-ahead log stays where it is, safely;
        so does all of it where the disk has no room for moving it into the file.
        """
        # The log is synced before anything is moved, so a full disk makes nothing less durable.
        with suppress(NotEnoughDisk), self._named_errors():
            self._connection().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def erase_free_pages(self) -> None:
        """Move the write-ahead log into the file and empty it, so that nothing deleted stays behind in it."""
        with self._named_errors():
            connection = self._connection()
            connection.execute("PRAGMA incremental_vacuum").fetchall()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def move_aside(self) -> Path | None:
        """Rename the file (and drop its log) so that the next use starts an empty one. Returns where the old one is now."""
        self.close()
        for suffix in ("-wal", "-shm", "-journal"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        if not self.path.exists():
            return None
        aside = damaged_copy(self.path)
        os.replace(self.path, aside)
        return aside

    def _connection(self) -> apsw.Connection:
        if getattr(self._local, "generation", None) == self._generation:
            connection: apsw.Connection = self._local.connection
            return connection
        with self._lock:
            connection = self._connect()
            self._local.connection, self._local.generation = connection, self._generation
            self._open.add(connection)
        return connection

    def _connect(self) -> apsw.Connection:
        _create_private(self.path)
        connection = apsw.Connection(os.fspath(self.path))
        try:
            self._configure(connection)
            if not self._migrated:
                self._migrate(connection)
                self._migrated = True
        except BaseException:
            self._local.errno = _errno_of(connection)
            connection.close(True)
            raise
        return connection

    def _configure(self, connection: apsw.Connection) -> None:
        connection.set_busy_timeout(self._busy_milliseconds)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
        connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
        # Both are kept in the file. Setting them again would need the write lock, and a reader must not wait for a writer.
        if connection.pragma("page_count") == 0:
            connection.pragma("auto_vacuum", 2)
        wanted = "truncate" if is_on_network(self.path) else "wal"
        if connection.pragma("journal_mode") != wanted:
            connection.pragma("journal_mode", wanted)
        connection.pragma("synchronous", self._synchronous)
        connection.pragma("secure_delete", 1)
        connection.pragma("foreign_keys", 1)
        connection.pragma("temp_store", 2)
        connection.pragma("cache_size", -_CACHE_KIBIBYTES)
        if self._with_vectors:
            _load_vectors(connection)

    def _migrate(self, connection: apsw.Connection) -> None:
        newest = len(self._migrations)
        if int(connection.pragma("user_version")) == newest:
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = int(connection.pragma("user_version"))
            if version > newest:
                raise self._damaged(
                    f"{self._name} was written by a newer version of Lamplight. Update Lamplight to use it.",
                    code="made_by_newer_version",
                    path=str(self.path),
                )
            for migrate in self._migrations[version:]:
                migrate(connection)
            connection.pragma("user_version", newest)
            connection.execute("COMMIT")
        except BaseException:
            self._end(connection, "ROLLBACK")
            raise

    @staticmethod
    def _end(connection: apsw.Connection, statement: str) -> None:
        # SQLite ends the transaction by itself after some failures (disk full); a second end would hide the first error.
        if connection.in_transaction:
            connection.execute(statement)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            named = self._named(error)
            if named is None:
                raise
            raise named from error
        except UnicodeDecodeError as error:
            raise self._damaged(f"{self._name} is damaged: a text in it cannot be read.", path=str(self.path)) from error
        except OSError as error:
            if error.errno in _DISK_FULL_ERRNOS:
                raise self._disk_full() from error
            raise self._damaged(f"{self._name} cannot be opened: {error.strerror}.", path=str(self.path)) from error

    def _named(self, error: apsw.Error) -> LamplightError | None:
        match error:
            case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError():
                return StoreLocked(f"{self._name} is in use by another program. Close it and try again.", path=str(self.path))
            case apsw.FullError():
                return self._disk_full()
            case apsw.IOError() | apsw.CantOpenError():
                if self._last_errno() in _DISK_FULL_ERRNOS:
                    return self._disk_full()
                return self._damaged(f"{self._name} cannot be read or written ({error}).", path=str(self.path))
            case (
                apsw.CorruptError()
                | apsw.NotADBError()
                | apsw.FormatError()
                | apsw.ReadOnlyError()
                | apsw.PermissionsError()
                | apsw.SchemaChangeError()
            ):
                return self._damaged(f"{self._name} is damaged or cannot be used ({error}).", path=str(self.path))
            case (
                apsw.SQLError()
                | apsw.ConstraintError()
                | apsw.MismatchError()
                | apsw.InternalError()
                | apsw.RangeError()
                | apsw.TooBigError()
            ):
                # Every statement is a constant that fits the schema, so what does not fit any more is the file.
                return self._damaged(f"{self._name} is damaged ({error}).", path=str(self.path))
            case _:
                return None

    def _last_errno(self) -> int:
        if getattr(self._local, "generation", None) == self._generation:
            return _errno_of(self._local.connection)
        return int(getattr(self._local, "errno", 0))

    def _disk_full(self) -> NotEnoughDisk:
        return NotEnoughDisk(f"The disk that holds {self.path.parent} is full. Free some space and try again.", path=str(self.path))


def damaged_copy(path: Path) -> Path:
    """Where `move_aside` puts the file."""
    return path.with_name(f"{path.name}.damaged")


def fetch_all(connection: apsw.Connection, statement: str, bindings: tuple[apsw.SQLiteValue, ...] = ()) -> list[tuple[Any, ...]]:
    """All rows of a statement."""
    return connection.execute(statement, bindings).fetchall()


def fetch_one(connection: apsw.Connection, statement: str, bindings: tuple[apsw.SQLiteValue, ...] = ()) -> tuple[Any, ...] | None:
    """The first row of a statement, or None."""
    return connection.execute(statement, bindings).fetchone()


def _errno_of(connection: apsw.Connection) -> int:
    try:
        return int(connection.system_errno)
    except apsw.Error:
        return 0


def _create_private(path: Path) -> None:
    """Make the file with mode 0600 before SQLite does, so that the log files beside it get that mode too.

    A file that is there is not opened: closing it again would drop every lock that other connections of this process hold on it
    (sqlite.org/howtocorrupt.html, 2.2).
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
    if os.name == "posix":
        mode = path.stat().st_mode
        if stat.S_ISREG(mode) and stat.S_IMODE(mode) != 0o600:
            path.chmod(0o600)


def _load_vectors(connection: apsw.Connection) -> None:
    """Load sqlite-vec from its package by absolute path, then forbid any other extension."""
    import sqlite_vec

    connection.enable_load_extension(True)
    try:
        connection.load_extension(sqlite_vec.loadable_path())
    finally:
        connection.enable_load_extension(False)
