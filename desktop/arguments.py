"""What may stand on the command line, and the help that says so. Imports nothing heavy: `--help` must be instant."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path

PIPELINES = ("full", "naive", "routed", "multihop", "fallback", "published")
MODES = ("hybrid", "words", "vectors")

_ABOUT = """\
Ask your own files, offline. Without a command the window opens.

Results go to stdout, progress and errors to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.
The options of every command may stand before or after its name.
"""

_EXAMPLES = """\
examples:
  lamplight ask "How many days of leave do I have?" --add ~/Documents/handbook
  lamplight ask "And part-time?" --history turns.json --json
  lamplight index ~/Documents/notes
  lamplight search "notice period" -k 5 --mode words
  lamplight ask "What changed?" --in ~/Documents/notes --since 2026-11-01
  lamplight library text ~/Documents/notes/contract.md
  lamplight eval --docs corpus/ --questions questions.jsonl --out answers.jsonl --limit 20
"""


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line. Ends the process with code 0 after `--help` and 2 after a mistake, as argparse does."""
    arguments = _parser().parse_args(argv)
    for name in ("home", "web", "model", "embedder", "budget"):
        if not hasattr(arguments, name):
            setattr(arguments, name, None)
    if not hasattr(arguments, "json"):
        arguments.json = False
    return arguments


def _parser() -> argparse.ArgumentParser:
    common = _common_options()
    parser = argparse.ArgumentParser(
        prog="lamplight", description=_ABOUT, epilog=_EXAMPLES, parents=[common], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    ask = _command(
        commands, common, "ask", "answer a question from your files", "The answer on stdout, with its numbered sources under it."
    )
    ask.add_argument("question", metavar="QUESTION", help="the question; - reads it from stdin")
    ask.add_argument("--add", metavar="PATH", nargs="+", action="extend", type=_path, default=[], help="add these files or folders first")
    ask.add_argument(
        "--history", metavar="FILE.json", type=_path, help='the conversation so far: [{"role": "user", "content": "..."}, ...]'
    )
    _restriction(ask)
    _json_option(ask)

    index = _command(
        commands,
        common,
        "index",
        "add files or folders to the library",
        "Files that have not changed cost nothing. A row for each file at the end.",
    )
    index.add_argument("paths", metavar="PATH", nargs="+", type=_path)
    _json_option(index)

    search = _command(commands, common, "search", "find passages, without a chat model", "Passages only, best first.")
    search.add_argument("query", metavar="QUERY")
    search.add_argument("-k", metavar="N", type=_positive, default=8, help="how many passages at most (default: 8)")
    search.add_argument("--mode", choices=MODES, default="hybrid", help="search by words, by meaning, or by both (default)")
    _restriction(search)
    _json_option(search)

    _library(commands, common)
    _models(commands, common)
    _evaluation(commands, common)
    return parser


def _library(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser) -> None:
    library = _command(commands, common, "library", "look at and look after the library", "What is indexed, and whether it is whole.")
    actions = library.add_subparsers(dest="action", metavar="ACTION", required=True, title="actions")
    listing = _command(actions, common, "list", "every file, its state and why", "Every file of the library.")
    text = _command(
        actions, common, "text", "print exactly the text that was indexed", "Quotes and offsets of answers count characters in this text."
    )
    text.add_argument("file", metavar="FILE", type=_path)
    encoding = _command(
        actions,
        common,
        "encoding",
        "say which encoding a text file is in",
        "The file is read again at once, and so from then on; `auto` leaves it to the program again. `library list` shows what each file was read in.",
    )
    encoding.add_argument("file", metavar="FILE", type=_path)
    encoding.add_argument("encoding", metavar="ENCODING|auto", type=_named, help="such as utf-8, gb18030, big5, shift_jis, windows-1252")
    remove = _command(actions, common, "remove", "take a file or folder out of the library", "The file itself is not touched.")
    remove.add_argument("file", metavar="FILE", type=_path)
    check = _command(
        actions,
        common,
        "check",
        "prove that the library is whole",
        "Exits 1 unless every ready file has chunks, each with one vector and one word-index row, and both databases pass SQLite's integrity check.",
    )
    rebuild = _command(
        actions,
        common,
        "rebuild",
        "make the index again from the linked files",
        "For a damaged index. The old one is kept beside until the new one is complete; conversations are not touched.",
    )
    for action in (listing, text, encoding, remove, check, rebuild):
        _json_option(action)


def _models(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser) -> None:
    models = _command(commands, common, "models", "list, install, verify and calibrate models", "The weights that answer and search.")
    actions = models.add_subparsers(dest="action", metavar="ACTION", required=True, title="actions")
    listing = _command(actions, common, "list", "every model of the catalogue and which are installed", "A * marks the ones in use.")
    install = _command(
        actions, common, "install", "fetch a model; needs the network", "Goes on where an earlier try stopped. Checked by hash."
    )
    install.add_argument("id", metavar="ID", nargs="?", type=_named, help="a catalogue id (default: the default models)")
    verify = _command(actions, common, "verify", "compare every installed model with its hash", "Exits 1 if one is not what it should be.")
    calibrate = _command(
        actions,
        common,
        "calibrate",
        "find on labelled examples where a chat model's decisions tip over",
        "Takes one to four minutes. Installing a model does it; for a GGUF file of your own, do it once.",
    )
    calibrate.add_argument(
        "id", metavar="ID|FILE", nargs="?", type=_named, help="a catalogue id or a GGUF file (default: the model in use)"
    )
    for action in (listing, install, verify, calibrate):
        _json_option(action)


def _evaluation(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser) -> None:
    evaluation = _command(
        commands,
        common,
        "eval",
        "answer a file of questions and write what happened",
        "One JSON line for each question. The models are loaded once; a question that fails is a line with an error. Stop it and start it again: "
        "questions whose ids are in --out already are skipped. Without --home the index of --docs is kept apart from your library.",
    )
    evaluation.add_argument("--docs", metavar="PATH", type=_path, required=True, help="the files or folder to answer from")
    evaluation.add_argument(
        "--questions",
        metavar="FILE.jsonl",
        type=_path,
        required=True,
        help='lines of {"id", "question", "history"?}; other keys are ignored',
    )
    evaluation.add_argument("--out", metavar="FILE.jsonl", type=_path, required=True, help="appended to")
    evaluation.add_argument("--pipeline", choices=PIPELINES, default="full", help="which way of answering to measure (default: full)")
    evaluation.add_argument(
        "--without",
        choices=("cache", "labels", "lookup", "hops", "leads"),
        action="append",
        default=[],
        help="switch a mechanism of the full pipeline off",
    )
    evaluation.add_argument("--limit", metavar="N", type=_positive, help="answer only N of the questions")
    evaluation.add_argument("--seed", metavar="N", type=int, help="choose and order them at random, the same for the same N")
    _json_option(evaluation)


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser, name: str, summary: str, about: str
) -> argparse.ArgumentParser:
    return commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}. {about}", parents=[common])


def _restriction(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where to look (default: in the whole library)")
    group.add_argument(
        "--in",
        dest="within",
        metavar="PATH",
        type=_path,
        action="append",
        default=[],
        help="only in this file or folder of the library; may be given again",
    )
    group.add_argument("--since", metavar="DATE", type=_day, help="only in files last changed on this day or later, as 2026-11-30")
    group.add_argument("--until", metavar="DATE", type=_day, help="only in files last changed on this day or earlier")


def _json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="one JSON object a line: events as they happen, the result last"
    )


def _common_options() -> argparse.ArgumentParser:
    # Without defaults here, an option given before the command is not forgotten by the command's own parser.
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    group = common.add_argument_group("options of every command")
    group.add_argument(
        "--home", metavar="DIR", type=_path, help="everything the app keeps lives here (default: the platform's data folder)"
    )
    group.add_argument(
        "--web",
        choices=("off", "ask", "auto"),
        help="may the web be searched when the files do not say (default: the setting, which is off)",
    )
    group.add_argument("--model", metavar="ID|FILE.gguf", type=_named, help="chat model: a catalogue id or a GGUF file")
    group.add_argument(
        "--embedder", metavar="ID|FOLDER", type=_named, help="embedding model: a catalogue id or a sentence-transformers folder"
    )
    group.add_argument("--budget", choices=("quick", "careful", "exhaustive"), help="how much work goes into an answer")
    return common


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError("must be a whole number, 1 or more")
    return number


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("is not a day of the calendar, written as 2026-11-30") from None


def _named(text: str) -> str:
    """An empty name is a slip (a variable that is not set), never the folder one happens to be in."""
    if not text.strip():
        raise argparse.ArgumentTypeError("is empty")
    return text


def _path(text: str) -> Path:
    return Path(_named(text))
