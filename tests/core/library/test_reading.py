from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import DocumentUnreadable
from core.library.reading import read_file

PROJECT = Path(__file__).resolve().parents[3]


def code_of(path: Path, *, follow_link: bool = False, max_bytes: int = 1000) -> str:
    with pytest.raises(DocumentUnreadable) as caught:
        read_file(path, follow_link=follow_link, max_bytes=max_bytes)
    return caught.value.code


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 3_000_000)

    content = read_file(tmp_path / "a")

    assert content.data == b"x" * 3_000_000
    assert content.modified_ns == (tmp_path / "a").stat().st_mtime_ns


def test_each_trouble_has_its_code(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "large").write_bytes(b"x" * 1001)
    (tmp_path / "fits").write_bytes(b"x" * 1000)

    assert code_of(tmp_path / "gone") == "vanished"
    assert code_of(tmp_path) == "not_a_file"
    assert code_of(tmp_path / "empty") == "empty"
    assert code_of(tmp_path / "large") == "too_large"
    assert len(read_file(tmp_path / "fits", max_bytes=1000).data) == 1000
    assert code_of(Path("a\0b")) == "unreadable"


@pytest.mark.skipif(os.name != "posix", reason="POSIX special files")
def test_nothing_is_read_from_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/hostname")

    assert code_of(tmp_path / "pipe") == "not_a_file"
    assert code_of(Path("/dev/zero")) == "not_a_file"
    assert code_of(tmp_path / "link") == "not_a_file"
    assert code_of(tmp_path / "link" / "below") in ("unreadable", "not_a_file", "vanished")


@pytest.mark.skipif(os.name != "posix", reason="POSIX links")
def test_a_link_the_person_named_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"text")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert read_file(tmp_path / "link", follow_link=True).data == b"text"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_a_file_that_says_it_is_empty_and_is_not_is_read_up_to_the_limit() -> None:
    assert read_file(Path("/proc/self/status"), max_bytes=100_000).data.startswith(b"Name:")


def test_a_sparse_file_of_a_terabyte_is_refused_at_once(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        try:
            file.truncate(2**40)
        except OSError:
            pytest.skip("the disk has no sparse files")

    assert code_of(tmp_path / "sparse") == "too_large"


READ = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from core.errors import DocumentUnreadable
from core.library.reading import read_file
try:
    read_file(Path(sys.argv[1]))
except DocumentUnreadable as error:
    print(error.code)
"""
# Root reads everything, so it runs without the two powers that let it; that works in a user namespace too, where no other account exists.
AS_ANYBODY = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_a_file_that_may_not_be_read_is_unreadable(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("x", encoding="utf-8")
    secret.chmod(0)
    powers = AS_ANYBODY if os.geteuid() == 0 else []

    child = subprocess.run(
        [*powers, sys.executable, "-c", READ, str(secret), str(PROJECT)], capture_output=True, encoding="utf-8", timeout=60, check=True
    )

    assert child.stdout.strip() == "unreadable"


def test_an_error_while_reading_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"x")

    def fail(descriptor: int, size: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", fail)

    assert code_of(tmp_path / "a") == "unreadable"
