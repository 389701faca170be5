"""The contract of the command line, each command run as a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.paths import PROGRAM, Paths
from core.settings import Settings, WebSettings
from core.settings_file import save_settings
from core.web.search import REQUEST_SECONDS
from tests.fakes.command_line import CommandLine, Ran
from tests.fakes.office_files import lines_down, pdf_file
from tests.fakes.search_engine import FakeSearchEngine

HANDBOOK = "# Leave\n\nEvery employee has 30 days of leave a year.\n\n# Notice\n\nThe notice period is six weeks.\n"
NOVEL = "武松在景阳冈打死了一只老虎。\n"


def make_documents(folder: Path) -> Path:
    folder.mkdir()
    (folder / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (folder / "novel.txt").write_text(NOVEL, encoding="gb18030")
    (folder / "empty.txt").touch()
    return folder


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_documents(tmp_path_factory.mktemp("shared") / "docs")


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory, documents: Path) -> CommandLine:
    """A home whose library holds the documents; tests only read it."""
    lamplight = CommandLine(tmp_path_factory.mktemp("indexed") / "home")
    assert lamplight("index", documents).code == 0
    return lamplight


@pytest.fixture
def lamplight(tmp_path: Path) -> CommandLine:
    """A home that does not exist yet."""
    return CommandLine(tmp_path / "home")


def one_sentence(ran: Ran) -> str:
    assert "Traceback" not in ran.err
    (line,) = [line for line in ran.err.splitlines() if line.startswith("lamplight: ")]
    return line


# -- help and usage


def test_help_is_instant_and_loads_nothing_heavy() -> None:
    probe = "import sys; from desktop.cli import main\ntry: main(['--help'])\nfinally: sys.stderr.write(' '.join(sys.modules))"

    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", probe], cwd=PROGRAM, capture_output=True, text=True, encoding="utf-8", check=True)

    assert time.monotonic() - started < 10
    assert all(command in done.stdout for command in ("ask", "index", "search", "library", "models", "eval"))
    loaded = set(done.stderr.split())
    assert not {"PySide6", "numpy", "pydantic", "apsw", "langgraph", "torch", "llama_cpp", "ddgs"} & loaded


def test_wrong_usage_exits_with_2(lamplight: CommandLine) -> None:
    assert lamplight("fly").code == 2
    assert lamplight("search", "x", "--mode", "magic").code == 2


def test_no_command_imports_the_window_or_weights(indexed: CommandLine) -> None:
    probe = "import sys; from desktop.cli import main; main(sys.argv[1:]); sys.stderr.write(' '.join(sys.modules))"
    arguments = indexed.command("ask", "What is the notice period?")[3:]

    done = subprocess.run(
        [sys.executable, "-c", probe, *arguments], cwd=PROGRAM, capture_output=True, text=True, encoding="utf-8", check=True
    )

    assert not {"PySide6", "torch", "llama_cpp", "sentence_transformers", "ddgs"} & set(done.stderr.split())


# -- index


def test_a_row_for_each_file_with_its_reason(indexed: CommandLine, documents: Path) -> None:
    ran = indexed("index", documents)

    assert ran.code == 0
    assert re.search(r"^ready +1 +.*/handbook\.md$", ran.out, re.MULTILINE)
    assert re.search(r"^skipped +0 +.*/empty\.txt +The file is empty\.", ran.out, re.MULTILINE)
    assert "2 ready (2 unchanged)" in ran.err


def test_indexing_as_json_ends_with_the_report(lamplight: CommandLine, documents: Path) -> None:
    ran = lamplight("index", documents, "--json")

    assert [item["event"] for item in ran.objects].count("file") == 3
    assert ran.last["event"] == "indexed"
    rows = {Path(row["file"]).name: row for row in ran.last["files"]}
    assert (rows["novel.txt"]["state"], rows["novel.txt"]["encoding"].lower().replace("-", ""), rows["novel.txt"]["chunks"]) == (
        "ready",
        "gb18030",
        1,
    )
    assert (rows["empty.txt"]["state"], rows["empty.txt"]["reason"]) == ("skipped", "empty")


def test_a_path_that_is_not_there_is_one_sentence(lamplight: CommandLine, tmp_path: Path) -> None:
    ran = lamplight("index", tmp_path / "nowhere")

    assert ran.code == 1
    assert "nowhere" in one_sentence(ran)


def test_a_folder_without_anything_to_index_fails(lamplight: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "void").mkdir()

    ran = lamplight("index", tmp_path / "void")

    assert ran.code == 1
    assert "no file to index" in one_sentence(ran)


# -- ask


def test_an_answer_has_numbered_sources_with_file_line_and_quote(indexed: CommandLine, documents: Path) -> None:
    ran = indexed("ask", "What is the notice period?")

    assert ran.code == 0
    assert (
        ran.out == f'The notice period is six weeks. [1]\n\nSources\n[1] {documents}/handbook.md:7\n    "The notice period is six weeks."\n'
    )
    assert "Searched your files" in ran.err


def test_files_can_be_added_with_the_question_in_any_script(lamplight: CommandLine, documents: Path) -> None:
    ran = lamplight("ask", "谁打死了老虎?", "--add", documents, "--json")

    answer = ran.last
    assert (ran.code, answer["event"], answer["strategy"], answer["refused"]) == (0, "answer", "complex", False)
    (citation,) = answer["citations"]
    text = lamplight("library", "text", citation["file"]).out
    assert text == NOVEL
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert all(0 <= found["start"] < found["end"] <= len(lamplight("library", "text", found["file"]).out) for found in answer["documents"])
    assert {"node", "seconds", "tokens_evaluated", "tokens_reused", "tokens_generated"} <= set(answer["steps"][0])


def test_a_simple_question_needs_no_index_at_all(lamplight: CommandLine) -> None:
    lamplight.home.mkdir(mode=0o700)
    for broken in (None, b"\0" * 100_000, b"not a database"):
        if broken is not None:
            (lamplight.home / "index.db").write_bytes(broken)

        ran = lamplight("ask", "1+1=?", "--json")

        assert (ran.code, ran.last["strategy"], ran.last["documents"], ran.last["origin"]) == (0, "simple", [], "model")


def test_what_the_model_says_by_itself_is_plainly_marked(lamplight: CommandLine) -> None:
    assert lamplight("ask", "1+1=?").out.startswith("From the model's own knowledge, not from your files:\n")


def test_a_damaged_index_is_told_and_can_be_made_again(lamplight: CommandLine, documents: Path) -> None:
    lamplight("index", documents)
    (lamplight.home / "index.db").write_bytes(b"\0" * 100_000)

    ran = lamplight("ask", "What is the notice period?")
    assert ran.code == 1
    assert "lamplight library rebuild" in one_sentence(ran)

    assert lamplight("library", "rebuild").code == 0
    assert "six weeks" in lamplight("ask", "What is the notice period?").out
    assert lamplight("library", "check").code == 0


def test_an_empty_library_says_so(lamplight: CommandLine) -> None:
    ran = lamplight("ask", "What is the notice period?")

    assert "library is empty" in ran.err


def test_a_question_can_be_restricted_and_says_so(indexed: CommandLine, documents: Path) -> None:
    ran = indexed("ask", "What is the notice period?", "--in", documents / "novel.txt", "--until", "2999-01-01")
    as_json = indexed("ask", "What is the notice period?", "--in", documents / "handbook.md", "--json").last

    assert f"Searched only in {documents}/novel.txt among files changed until 2999-01-01" in ran.out
    assert "handbook" not in ran.out
    assert as_json["scope"] == {"paths": [str(documents / "handbook.md")], "since": None, "until": None}
    assert {found["file"] for found in as_json["documents"]} == {str(documents / "handbook.md")}


@pytest.mark.parametrize(
    ("restriction", "told"),
    [
        (("--in", "novel.txt"), "Did you mean"),
        (("--in", "/nowhere"), "lamplight library list"),
        (("--since", "2999-01-01"), "nothing to search among files changed since 2999-01-01"),
        (("--since", "2026-02-01", "--until", "2026-01-01"), "2026-02-01 comes after 2026-01-01"),
    ],
)
def test_a_restriction_that_leaves_nothing_is_one_sentence(indexed: CommandLine, restriction: tuple[str, ...], told: str) -> None:
    ran = indexed("search", "notice period", *restriction)

    assert (ran.code, ran.out) == (1, "")
    assert told in one_sentence(ran)


def test_a_file_is_read_in_the_encoding_that_is_named_until_it_is_left_to_the_program_again(lamplight: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "oil.txt"
    file.write_bytes("Масло в лампе. ".encode("cp1251") * 3)
    lamplight("index", file)

    chosen = lamplight("library", "encoding", file, "windows-1253", "--json")
    listed = lamplight("library", "list", "--json")
    shown = lamplight("library", "list")
    text = lamplight("library", "text", file)
    back = lamplight("library", "encoding", file, "AUTO")

    assert chosen.code == back.code == 0
    assert {
        "event": "encoding",
        "file": str(file),
        "chosen": "cp1253",
        "encoding": "cp1253",
        "state": "ready",
    }.items() <= chosen.last.items()
    assert [(item["encoding"], item["encoding_chosen"]) for item in listed.last["files"]] == [("cp1253", True)]
    assert "[cp1253 (chosen)]" in shown.out
    assert text.out.startswith("Μ")
    assert "cp1251" in back.err


@pytest.mark.parametrize(
    ("name", "encoding", "told"),
    [
        ("a.txt", "utf-99", 'no encoding called "utf-99"'),
        ("b.pdf", "utf-8", "says itself"),
        ("other.txt", "utf-8", "not in the library"),
    ],
)
def test_an_encoding_that_cannot_be_taken_is_one_sentence(
    lamplight: CommandLine, tmp_path: Path, name: str, encoding: str, told: str
) -> None:
    (tmp_path / "a.txt").write_text("lamp", encoding="utf-8")
    (tmp_path / "b.pdf").write_bytes(b"no pdf")
    lamplight("index", tmp_path / "a.txt", tmp_path / "b.pdf")

    ran = lamplight("library", "encoding", tmp_path / name, encoding)

    assert (ran.code, ran.out) == (1, "")
    assert told in one_sentence(ran)


def test_a_wrong_encoding_is_a_row_that_says_what_to_do(lamplight: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "oil.txt"
    file.write_bytes("Масло в лампе. ".encode("cp1251") * 3)
    lamplight("index", file)

    ran = lamplight("library", "encoding", file, "utf-8")

    assert ran.code == 1
    assert "Choose another encoding" in ran.out


def test_a_search_says_the_page(lamplight: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "log.pdf"
    file.write_bytes(pdf_file([lines_down(["The lamp was lit."]), lines_down(["Oil came by boat."])]))
    lamplight("index", file)

    found = lamplight("search", "oil boat", "--mode", "words", "--json").last["passages"]
    shown = lamplight("search", "oil boat", "--mode", "words")

    assert [item["page"] for item in found] == [1]
    assert f"{file}:1 p. 1" in shown.out


def test_a_search_finds_traditional_and_simplified_characters_alike(lamplight: CommandLine, tmp_path: Path) -> None:
    docs = tmp_path / "繁 體"
    docs.mkdir()
    (docs / "合同.md").write_text("試用期為三個月，薪資於每月十五日發放。\n", encoding="utf-8")
    (docs / os.fsdecode(b"caf\xe9.md")).write_text("试用期的规定写在合同里。\n", encoding="utf-8")
    lamplight("index", docs)

    both = lamplight("search", "试用期", "--mode", "words", "--in", docs, "--json").last
    one = lamplight("search", "試用期", "--mode", "words", "--in", docs / os.fsdecode(b"caf\xe9.md"), "--json").last

    assert {found["text"][:3] for found in both["passages"]} == {"試用期", "试用期"}
    assert [found["text"] for found in one["passages"]] == ["试用期的规定写在合同里。"]
    assert one["scope"]["paths"] == [str(docs / "caf\udce9.md")]


@pytest.mark.parametrize(("question", "told"), [("", "empty"), ("  \n ", "empty"), ("x" * 20_001, "20,001"), ("x" * 100_000, "100,000")])
def test_a_question_of_no_or_too_many_characters_is_one_sentence(lamplight: CommandLine, question: str, told: str) -> None:
    ran = lamplight("ask", question)

    assert ran.code == 1
    assert told in one_sentence(ran)
    assert ran.out == ""


def test_the_question_may_come_from_stdin(indexed: CommandLine) -> None:
    assert "six weeks" in indexed("ask", "-", stdin="What is the notice period?\n").out


def test_a_history_is_read_and_a_bad_one_is_one_sentence(indexed: CommandLine, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps([{"role": "user", "content": "Leave?"}, {"role": "assistant", "content": "30 days"}]), encoding="utf-8")
    bad.write_text('{"role": "user"}', encoding="utf-8")

    assert any(
        step["node"] == "rewrite_question" for step in indexed("ask", "And the notice period?", "--history", good, "--json").last["steps"]
    )
    for file in (bad, tmp_path / "none.json"):
        ran = indexed("ask", "And?", "--history", file)
        assert ran.code == 1
        assert "history" in one_sentence(ran)


def test_a_missing_model_is_one_sentence_that_says_what_to_do(indexed: CommandLine, tmp_path: Path) -> None:
    ran = CommandLine(indexed.home, str(tmp_path / "none.gguf"))("ask", "Hello?", "--json")

    assert ran.code == 1
    assert "none.gguf" in one_sentence(ran)
    assert ran.last["event"] == "error"
    assert ran.last["code"] == "model_missing"


# -- search and library


@pytest.mark.parametrize("mode", ["hybrid", "words", "vectors"])
def test_search_finds_passages_in_every_mode(indexed: CommandLine, documents: Path, mode: str) -> None:
    found = indexed("search", "notice period", "-k", "1", "--mode", mode, "--json").last

    assert (found["event"], found["query"]) == ("passages", "notice period")
    (passage,) = found["passages"]
    assert passage["file"] == str(documents / "handbook.md")
    assert passage["text"] == HANDBOOK[passage["start"] : passage["end"]]


def test_search_of_an_empty_library_or_for_nothing_is_one_sentence(lamplight: CommandLine) -> None:
    for query in ("notice", " "):
        ran = lamplight("search", query)
        assert ran.code == 1
        one_sentence(ran)


def test_library_text_is_exactly_what_was_indexed(indexed: CommandLine, documents: Path) -> None:
    assert indexed("library", "text", documents / "handbook.md").out == HANDBOOK


def test_library_text_of_an_unknown_file_is_one_sentence(indexed: CommandLine) -> None:
    ran = indexed("library", "text", "/nowhere.md")

    assert ran.code == 1
    assert "/nowhere.md" in one_sentence(ran)


def test_library_text_of_a_file_that_could_not_be_read_says_why_and_what_to_do(lamplight: CommandLine, tmp_path: Path) -> None:
    report = tmp_path / "report.pdf"
    report.write_text("no PDF", encoding="utf-8")
    lamplight("index", report)

    ran = lamplight("library", "text", report)

    assert ran.code == 1
    assert "damaged" in ran.err and "save a fresh copy" in ran.err and "moved, renamed" not in ran.err


def test_a_removed_file_is_gone_and_the_library_is_whole(lamplight: CommandLine, documents: Path) -> None:
    lamplight("index", documents)

    assert lamplight("library", "remove", documents / "novel.txt").code == 0

    listed = lamplight("library", "list", "--json").last["files"]
    assert [Path(row["file"]).name for row in listed if row["state"] == "ready"] == ["handbook.md"]
    assert (documents / "novel.txt").exists()
    assert lamplight("library", "check", "--json").last["ok"] is True
    assert lamplight("library", "remove", documents / "novel.txt").code == 1


# -- models


def test_the_catalogue_is_listed(lamplight: CommandLine) -> None:
    rows = {row["id"]: row for row in lamplight("models", "list", "--json").last["models"]}

    assert {"qwen2.5-coder-1.5b", "multilingual-e5-small"} <= set(rows)


def test_an_unknown_model_is_one_sentence_with_the_known_ones(lamplight: CommandLine) -> None:
    ran = lamplight("models", "install", "gpt-9")

    assert ran.code == 1
    assert "qwen2.5-coder-1.5b" in one_sentence(ran)


def test_without_models_verify_says_what_to_install(lamplight: CommandLine, tmp_path: Path) -> None:
    ran = lamplight("models", "verify", LAMPLIGHT_MODELS=str(tmp_path / "none"))

    assert ran.code == 1
    assert "lamplight models install" in one_sentence(ran)


# -- streams, files and names


def test_output_is_utf8_and_names_survive_under_the_c_locale(lamplight: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    odd = os.fsdecode(b"caf\xe9 \xff.txt")
    (folder / odd).write_text(NOVEL, encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}

    ran = lamplight("ask", "谁打死了老虎?", "--add", folder, "--json", **plain)

    assert ran.code == 0
    assert "武松" in ran.out
    assert ran.last["citations"][0]["file"] == str(folder / odd)
    assert lamplight("library", "list", **plain).code == 0
    assert lamplight("library", "text", folder / odd, **plain).out == NOVEL


def test_everything_in_the_home_is_for_its_owner_alone(lamplight: CommandLine, documents: Path) -> None:
    lamplight("ask", "What is the notice period?", "--add", documents)

    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [lamplight.home, *lamplight.home.rglob("*")]}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}


def test_the_log_holds_no_word_of_questions_files_or_answers(lamplight: CommandLine, documents: Path, tmp_path: Path) -> None:
    canary = "zebracanary"
    (tmp_path / f"{canary}.txt").write_text(f"The {canary} sleeps in the barn.", encoding="utf-8")

    lamplight("ask", f"Where does the {canary} sleep?", "--add", tmp_path / f"{canary}.txt")
    lamplight("index", tmp_path / f"{canary}-missing")

    logs = "".join(file.read_text(encoding="utf-8") for file in (lamplight.home / "logs").iterdir())
    assert "answered" in logs and "failure NotFound" in logs
    assert canary not in logs


def test_a_bad_settings_file_is_told_and_survived(lamplight: CommandLine) -> None:
    lamplight.home.mkdir(mode=0o700)
    (lamplight.home / "settings.json").write_bytes(b'{"models": {"threads": "many"}}')

    ran = lamplight("ask", "1+1=?")

    assert ran.code == 0
    assert "models.threads" in ran.err


def test_a_home_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "home").touch()

    ran = CommandLine(tmp_path / "home")("ask", "1+1=?")

    assert ran.code == 1
    one_sentence(ran)


def test_a_reader_that_goes_away_ends_it_quietly(indexed: CommandLine) -> None:
    running = indexed.start("library", "list")
    assert running.stdout is not None and running.stderr is not None
    running.stdout.close()

    _, err = running.communicate(timeout=60)

    assert b"Traceback" not in err and b"BrokenPipe" not in err


# -- stopping


def test_ctrl_c_while_indexing_exits_130_and_the_rest_is_indexed_next_time(lamplight: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(400):
        (folder / f"{number}.txt").write_text(f"File number {number} says {number * 7}.", encoding="utf-8")
    running = lamplight.start("index", folder, "--json")
    assert running.stdout is not None
    for line in running.stdout:
        if json.loads(line)["event"] == "file":
            break

    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)

    assert running.returncode == 130
    assert err.decode().rstrip().endswith("Stopped.")
    assert lamplight("library", "check").code == 0
    assert sum(row["state"] == "ready" for row in lamplight("index", folder, "--json").last["files"]) == 400


def test_ctrl_c_during_a_web_search_exits_130_at_once(lamplight: CommandLine, documents: Path) -> None:
    with FakeSearchEngine("slow") as engine:
        use_engine(lamplight, engine)
        running = lamplight.start("ask", "Who painted the zebra?", "--web", "auto")
        assert engine.asked.wait(60)

        started = time.monotonic()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=30)

    assert running.returncode == 130
    assert time.monotonic() - started < REQUEST_SECONDS, "it waited for the abandoned request"


# -- web


def use_engine(lamplight: CommandLine, engine: FakeSearchEngine) -> None:
    lamplight.home.mkdir(mode=0o700, exist_ok=True)
    save_settings(Paths(lamplight.home), Settings(web=WebSettings(engine_url=engine.url)))


def test_what_the_files_cannot_answer_is_searched_exactly_once(lamplight: CommandLine, documents: Path) -> None:
    with FakeSearchEngine() as engine:
        use_engine(lamplight, engine)
        answer = lamplight("ask", "Who painted the zebra?", "--web", "auto", "--json").last

    assert [hit.query for hit in engine.hits] == ["Who painted the zebra?"]
    assert (answer["web"]["searched"], answer["web"]["query"], answer["web"]["error"]) == (True, "Who painted the zebra?", "")
    assert answer["web"]["results"][0]["url"] == "https://harbour.example.org/lighthouse"


def test_an_engine_that_is_down_is_told(lamplight: CommandLine) -> None:
    with FakeSearchEngine() as engine:
        use_engine(lamplight, engine)

    ran = lamplight("ask", "Who painted the zebra?", "--web", "auto")

    assert "The web search failed" in ran.out


@pytest.mark.parametrize("mode", ["off", "ask"])
def test_without_a_yes_nothing_is_sent(lamplight: CommandLine, mode: str) -> None:
    with FakeSearchEngine() as engine:
        use_engine(lamplight, engine)
        ran = lamplight("ask", "Who painted the zebra?", "--web", mode, "--json")
    answer = ran.last

    assert ("no terminal to ask on" in ran.err) is (mode == "ask")
    assert engine.hits == []
    assert answer["web"]["searched"] is False


# -- eval


def write_questions(folder: Path, count: int) -> Path:
    file = folder / "questions.jsonl"
    lines = [
        {"id": f"q{number}", "question": "What is the notice period?", "answers": ["six weeks"], "type": "single"}
        for number in range(count)
    ]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return file


def lines_of(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("pipeline", ["full", "naive", "routed", "multihop", "fallback"])
def test_every_pipeline_answers(indexed: CommandLine, documents: Path, tmp_path: Path, pipeline: str) -> None:
    out = tmp_path / "out.jsonl"

    ran = indexed("eval", "--docs", documents, "--questions", write_questions(tmp_path, 1), "--out", out, "--pipeline", pipeline)

    assert ran.code == 0
    (line,) = lines_of(out)
    assert (line["event"], line["id"], line["pipeline"], line["refused"]) == ("answer", "q0", pipeline, False)
    assert "six weeks" in str(line["answer"])


def test_eval_goes_on_where_it_stopped(indexed: CommandLine, documents: Path, tmp_path: Path) -> None:
    questions, out = write_questions(tmp_path, 5), tmp_path / "out.jsonl"
    common = ("eval", "--docs", documents, "--questions", questions, "--out", out)

    indexed(*common, "--limit", "2")
    with out.open("ab") as file:
        file.write(b'{"id": "q2", "cut o')
    ran = indexed(*common)

    assert [line["id"] for line in lines_of(out)] == ["q0", "q1", "q2", "q3", "q4"]
    assert "3 answered, 0 failed, 2 there already" in ran.out


def test_eval_survives_a_question_that_fails(indexed: CommandLine, documents: Path, tmp_path: Path) -> None:
    questions, out = tmp_path / "questions.jsonl", tmp_path / "out.jsonl"
    questions.write_text('{"id": 1, "question": ""}\n{"id": 2, "question": "What is the notice period?"}\n', encoding="utf-8")

    ran = indexed("eval", "--docs", documents, "--questions", questions, "--out", out)

    assert ran.code == 0
    first, second = lines_of(out)
    assert (first["id"], first["error"]) == (1, "question_empty")
    assert (second["id"], "error" in second) == (2, False)


def test_ctrl_c_during_eval_exits_130_with_whole_lines(indexed: CommandLine, documents: Path, tmp_path: Path) -> None:
    questions, out = write_questions(tmp_path, 2000), tmp_path / "out.jsonl"
    running = indexed.start("eval", "--docs", documents, "--questions", questions, "--out", out, "--pipeline", "naive", "--json")
    assert running.stdout is not None
    for line in running.stdout:
        if json.loads(line)["event"] == "answer":
            break

    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)

    assert running.returncode == 130
    assert 0 < len(lines_of(out)) < 2000


def test_without_a_home_the_documents_get_an_index_of_their_own(documents: Path, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "desktop.cli",
        "--model",
        "echo",
        "eval",
        "--docs",
        str(documents),
        "--out",
        str(tmp_path / "out.jsonl"),
    ]
    command += ["--questions", str(write_questions(tmp_path, 1))]
    home = tmp_path / "default"

    subprocess.run(command, cwd=PROGRAM, env={**os.environ, "LAMPLIGHT_HOME": str(home)}, check=True, capture_output=True)

    assert not (home / "index.db").exists()
    assert [path.name for path in (home / "eval").rglob("index.db")] == ["index.db"]


# -- what a shell can do to a command


NOBODY = "~nobody-of-this-name/x.gguf"


@pytest.mark.parametrize(
    "arguments",
    [
        ("index", NOBODY),
        ("index", "/" + "x" * 5000),
        ("index", "/dev/null/x"),
        ("library", "text", NOBODY),
        ("library", "remove", NOBODY),
        ("ask", "Hello?", "--history", NOBODY),
        ("eval", "--docs", NOBODY, "--questions", NOBODY, "--out", NOBODY),
        ("ask", "Hello?", "--model", NOBODY),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_a_name_that_leads_nowhere_is_one_sentence(indexed: CommandLine, arguments: tuple[str, ...]) -> None:
    ran = indexed(*arguments)

    assert ran.code == 1
    assert "no words for" not in one_sentence(ran)


@pytest.mark.parametrize("home", ["/dev/null/x", "/" + "x" * 5000])
def test_a_home_that_leads_nowhere_is_one_sentence(home: str) -> None:
    ran = CommandLine(Path(home))("library", "list")

    assert ran.code == 1
    assert "no words for" not in one_sentence(ran)


@pytest.mark.parametrize("word", [b"\xffdays", b"da\xed\xa0\x80ys", b"\xc3"])
def test_bytes_that_are_no_text_are_asked_and_searched_all_the_same(indexed: CommandLine, word: bytes) -> None:
    for arguments in (("search", os.fsdecode(word)), ("ask", os.fsdecode(b"How many " + word + b" of leave?"))):
        ran = indexed(*arguments)

        assert ran.code == 0
        assert "lamplight:" not in ran.err


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(lamplight: CommandLine, documents: Path, closed: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {closed}', "sh", *lamplight.command("index", documents)],
        cwd=PROGRAM,
        env=lamplight.environment(),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert lamplight("library", "check").code == 0


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_a_closed_stdin_asks_nothing(lamplight: CommandLine) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" <&-', "sh", *lamplight.command("ask", "-")],
        cwd=PROGRAM,
        env=lamplight.environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "question is empty" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [("library", "list"), ("ask", "What is the notice period?"), ("ask", "1+1=?", "--json")])
def test_a_result_that_finds_no_room_is_one_sentence(indexed: CommandLine, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            indexed.command(*arguments), cwd=PROGRAM, env=indexed.environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert done.returncode == 1
    assert "cannot be written" in one_sentence(Ran(1, "", done.stderr))


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
def test_a_disk_that_fills_up_is_one_sentence_and_loses_nothing(lamplight: CommandLine, documents: Path) -> None:
    for limit in (100, 50_000, 150_000):
        done = subprocess.run(
            ["/bin/sh", "-c", f'ulimit -f {limit // 512}; "$@"', "sh", *lamplight.command("index", documents)],
            cwd=PROGRAM,
            env=lamplight.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert "is full" in one_sentence(Ran(1, "", done.stderr))

    assert lamplight("index", documents).code == 0
    assert lamplight("library", "check").code == 0


def test_a_search_without_its_embedding_model_says_what_it_lacks(indexed: CommandLine) -> None:
    ran = CommandLine(indexed.home, "")("search", "notice period", "--embedder", "none-of-this-name")

    assert "handbook.md" in ran.out
    assert "by words only" in ran.err
