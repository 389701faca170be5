"""The reader's child process: what it reads, what it survives, and what it cannot do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cancel import CancelToken
from core.errors import Cancelled, DocumentUnreadable
from core.library import document_reader
from core.library.document_reader import DocumentReader
from tests.core.library.poison_reader import native_connect
from tests.fakes.office_files import book_file, lines_down, paragraph, pdf_file, row, word_file, workbook_file

POISON = "tests.core.library.poison_reader"
posix_only = pytest.mark.skipif(os.name != "posix", reason="limits of the operating system")


@pytest.fixture
def reader() -> Iterator[DocumentReader]:
    made = DocumentReader()
    yield made
    made.close()


@pytest.fixture
def poison() -> Iterator[DocumentReader]:
    made = DocumentReader(POISON, cpu_seconds=1, wall_seconds=20.0)
    yield made
    made.close()


def obey(reader: DocumentReader, order: str) -> str:
    return reader.read(Path("a.docx"), order.encode(), CancelToken()).text


def code_of(reader: DocumentReader, order: str) -> str:
    with pytest.raises(DocumentUnreadable) as caught:
        obey(reader, order)
    return caught.value.code


class TestReading:
    def test_documents_are_read_one_after_the_other_in_one_process(self, reader: DocumentReader, cancel: CancelToken) -> None:
        assert reader.pid is None

        word = reader.read(Path("/d/灯.DOCX"), word_file(paragraph("灯塔手册", style="1") + paragraph("Oil.")), cancel)
        pid = reader.pid
        pdf = reader.read(Path("/d/lamp.pdf"), pdf_file([lines_down(["It burns."])]), cancel)

        assert (word.text, word.title, word.kind, word.encoding) == ("# 灯塔手册\n\nOil.", "灯塔手册", "markdown", "")
        assert (pdf.text, pdf.title, pdf.kind) == ("It burns.", "lamp", "prose")
        assert reader.pid == pid is not None

    def test_the_title_of_a_book_stands_above_its_text(self, reader: DocumentReader, cancel: CancelToken) -> None:
        book = reader.read(Path("b.epub"), book_file({"a.xhtml": "<html><body><p>It came.</p></body></html>"}, title="The Lamp"), cancel)

        assert (book.text, book.title) == ("# The Lamp\n\nIt came.", "The Lamp")

    def test_a_reason_found_by_a_parser_arrives_as_it_is(self, reader: DocumentReader, cancel: CancelToken) -> None:
        with pytest.raises(DocumentUnreadable) as caught:
            reader.read(Path("a.pdf"), pdf_file([lines_down(["x"])], password="lamp"), cancel)

        assert caught.value.code == "needs_password"

    def test_files_and_texts_of_many_pieces_arrive_whole(self, poison: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(document_reader, "_PIECE_BYTES", 1_000_001)
        words = "灯塔 lamp " * 300_000

        assert obey(poison, words) == words

    def test_memory_is_given_back_when_the_reader_is_unloaded(self, poison: DocumentReader) -> None:
        first = obey(poison, "who")

        poison.unload()

        assert poison.pid is None
        assert obey(poison, "who") != first


class TestPoison:
    @posix_only
    def test_a_crash_costs_one_file(self, poison: DocumentReader) -> None:
        first = obey(poison, "who")

        assert code_of(poison, "crash") == "reader_crashed"
        assert obey(poison, "who") != first

    @posix_only
    def test_a_parser_that_spins_is_ended_by_the_system(self, poison: DocumentReader) -> None:
        assert code_of(poison, "spin") == "timed_out"
        assert obey(poison, "fine") == "fine"

    @posix_only
    def test_time_on_the_processor_counts_for_each_file_anew(self, poison: DocumentReader) -> None:
        assert len({obey(poison, "who") for _ in range(5)}) == 1

    def test_a_parser_that_waits_for_ever_is_ended(self) -> None:
        reader = DocumentReader(POISON, wall_seconds=0.5)

        assert code_of(reader, "wait") == "timed_out"
        assert obey(reader, "fine") == "fine"
        reader.close()

    @pytest.mark.skipif(sys.platform != "linux", reason="limits on address space hold on Linux")
    def test_a_parser_that_takes_all_memory_is_refused_it(self, poison: DocumentReader) -> None:
        assert code_of(poison, "eat") == "too_much_memory"
        assert obey(poison, "fine") == "fine"

    def test_a_reader_that_does_not_start_is_not_blamed_on_the_file(self) -> None:
        reader = DocumentReader("core.library.formats.there_is_no_such_module")

        assert code_of(reader, "fine") == "reader_unavailable"
        reader.close()

    def test_cancelling_ends_a_parser_that_waits(self, poison: DocumentReader) -> None:
        cancel = CancelToken()
        timer = threading.Timer(0.3, cancel.cancel)
        timer.start()

        with pytest.raises(Cancelled):
            poison.read(Path("a.docx"), b"wait", cancel)

        timer.join()
        assert obey(poison, "fine") == "fine"

    def test_closing_ends_a_parser_that_waits(self, poison: DocumentReader) -> None:
        timer = threading.Timer(0.3, poison.close)
        timer.start()

        with pytest.raises(Cancelled):
            obey(poison, "wait")

        timer.join()
        assert poison.pid is None


class TestConfinement:
    @pytest.fixture
    def port(self) -> Iterator[int]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            yield server.getsockname()[1]

    def test_the_network_is_out_of_reach_for_python(self, poison: DocumentReader, port: int) -> None:
        assert obey(poison, f"try connect {port}") == "refused: PermissionError"
        assert obey(poison, "try look-up") == "refused: PermissionError"

    @pytest.mark.skipif(sys.platform != "linux", reason="networks of one's own are a thing of Linux")
    def test_the_network_is_out_of_reach_for_native_code_where_the_system_allows_it(self, poison: DocumentReader, port: int) -> None:
        if subprocess.run(["unshare", "-rn", "true"], check=False, capture_output=True).returncode:
            pytest.skip("this system gives no process a network of its own")

        assert native_connect(port) == 0
        assert obey(poison, f"native {port}") == "connect: -1"

    @pytest.mark.skipif(sys.platform != "linux", reason="networks of one's own are a thing of Linux")
    def test_the_libraries_of_the_parsers_leave_the_reader_its_walls(self, reader: DocumentReader, cancel: CancelToken) -> None:
        if subprocess.run(["unshare", "-rn", "true"], check=False, capture_output=True).returncode:
            pytest.skip("this system gives no process a network of its own")

        assert "| Lens | 4 |" in reader.read(Path("a.xlsx"), workbook_file({"A": row(1, "Part", "Price") + row(2, "Lens", 4)}), cancel).text

        # A library that had started a thread before would have kept it in the network of all.
        assert os.readlink(f"/proc/{reader.pid}/ns/net") != os.readlink("/proc/self/ns/net")
        assert "numpy" not in Path(f"/proc/{reader.pid}/maps").read_text(encoding="utf-8")

    def test_no_program_is_started(self, poison: DocumentReader) -> None:
        assert obey(poison, "try start") == "refused: PermissionError"
        if hasattr(os, "fork"):
            assert obey(poison, "try fork") == "refused: PermissionError"

    def test_no_file_is_written_or_deleted(self, poison: DocumentReader, tmp_path: Path) -> None:
        mine = tmp_path / "mine.txt"
        mine.write_text("kept", encoding="utf-8")

        assert obey(poison, f"try write {mine}") == "refused: PermissionError"
        assert obey(poison, f"try write {tmp_path / 'new.txt'}") == "refused: PermissionError"
        assert obey(poison, f"try delete {mine}") == "refused: PermissionError"
        assert mine.read_text(encoding="utf-8") == "kept"
        assert os.listdir(tmp_path) == ["mine.txt"]

    def test_proxies_and_keys_of_the_app_do_not_reach_it(self, poison: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example")

        names = obey(poison, "environment").split()

        assert "PATH" in names
        assert "HTTPS_PROXY" not in names
