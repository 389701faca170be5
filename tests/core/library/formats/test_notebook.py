from __future__ import annotations

import base64
import json
import random
import time
from typing import Any

import pytest

from core.errors import DocumentUnreadable
from core.library.formats.notebook import read_notebook
from core.library.formats.reading import read_document
from core.library.sections import sections

PICTURE = base64.b64encode(random.Random(5).randbytes(3001)).decode()
PYTHON = {"language_info": {"name": "python"}}


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {"tags": ["unseen"]}, "execution_count": 1, "source": lines(source), "outputs": list(outputs)}


def markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "unseen", "metadata": {}, "source": lines(source)}


def printed(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": lines(text)}


def result(**forms: str) -> dict[str, Any]:
    """A result in these forms: `text_plain`, `image_png` and so on."""
    return {
        "output_type": "execute_result",
        "metadata": {},
        "data": {name.replace("_", "/", 1): lines(form) for name, form in forms.items()},
    }


def notebook(*cells: Any, metadata: dict[str, Any] | None = None) -> str:
    return json.dumps({"cells": cells, "metadata": PYTHON if metadata is None else metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def text_of(*cells: Any) -> str:
    return read_notebook(notebook(*cells)).text


def below(*outputs: dict[str, Any]) -> str:
    """What stands below the code of a cell with these outputs."""
    return text_of(code("oil", *outputs)).removeprefix("```python\noil\n```").strip("\n")


def test_a_notebook_is_read_as_a_person_sees_it() -> None:
    cells = (
        markdown("# Oil\n\nHow much **oil** a lamp burns."),
        code("used = [4, 7]\n\n\nsum(used)", printed("adding\n"), result(text_plain="11")),
        markdown("## 灯\n\n燃油"),
    )

    assert text_of(*cells) == (
        "# Oil\n\nHow much **oil** a lamp burns.\n\n```python\nused = [4, 7]\n\n\nsum(used)\n```\n\n```\nadding\n```\n\n```\n11\n```\n\n## 灯\n\n燃油"
    )


def test_words_are_found_under_the_headings_of_the_markdown_and_not_under_remarks_in_code() -> None:
    text = text_of(markdown("# Oil"), code("# not a heading"), markdown("## Whale"), code("x"))

    assert [section.heading_path for section in sections(text, "markdown")] == ["Oil", "Oil > Whale"]


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"language_info": {"name": "julia"}, "kernelspec": {"language": "python"}}, "julia"),
        ({"kernelspec": {"language": "R", "name": "ir"}}, "R"),
        ({"language_info": {"name": "c++17"}}, "c++17"),
        ({"language_info": {"name": "x\n# a heading"}}, ""),
        ({"language_info": "python"}, ""),
        ({}, ""),
    ],
)
def test_code_is_fenced_in_the_language_of_the_notebook(metadata: dict[str, Any], language: str) -> None:
    assert read_notebook(notebook(code("1"), metadata=metadata)).text == f"```{language}\n1\n```"


def test_fences_in_a_cell_end_with_it() -> None:
    cells = (markdown("Say:\n~~~~\nnever closed"), code('"""\n```\n# in a text\n```\n"""'), markdown("# After"))

    found = text_of(*cells)

    assert found.split("\n\n") == [
        "Say:\n~~~~\nnever closed\n~~~~", '````python\n"""\n```\n# in a text\n```\n"""\n````', "# After"
    ]  # fmt: skip
    assert [section.heading_path for section in sections(found, "markdown")] == ["", "After"]


def test_cells_that_are_neither_are_shown_as_they_are_and_empty_ones_are_left_out() -> None:
    cells = (
        {"cell_type": "raw", "source": "---\n# title: x\n---"},
        code(""),
        {"cell_type": "heading", "source": []},
        markdown("  \n"),
        markdown("lamp"),
    )

    assert text_of(*cells) == "```\n---\n# title: x\n---\n```\n\nlamp"


def test_what_a_cell_prints_in_turns_is_one_text() -> None:
    assert below(printed("1 of 2\n"), printed("smoke!\n", "stderr"), printed("2 of 2\n")) == "```\n1 of 2\nsmoke!\n2 of 2\n```"


def test_an_error_is_its_message_without_colours() -> None:
    trace = ["\x1b[0;31m------\x1b[0m", "\x1b[0;31mKeyError\x1b[0m: 'oil'"]
    error = {"output_type": "error", "ename": "KeyError", "evalue": "\x1b[31m'oil'\x1b[0m", "traceback": trace}

    assert below(error) == "```\nKeyError: 'oil'\n```"
    assert below({"output_type": "error", "traceback": trace}) == "```\n------\nKeyError: 'oil'\n```"


def test_a_bar_of_progress_is_what_it_showed_in_the_end() -> None:
    assert below(printed("  0%|   | 0/9\r 50%|#  | 4/9\r100%|###| 9/9\r\ndone\r\n")) == "```\n100%|###| 9/9\ndone\n```"


def test_colours_of_a_terminal_stick_to_no_word() -> None:
    assert below(printed("\x1b[1;32mlit\x1b[0m at 6\n")) == "```\nlit at 6\n```"


def test_pictures_and_what_scripts_draw_are_left_out() -> None:
    plain = "<Figure size 640x480 with 1 Axes>"
    widget = {
        "output_type": "display_data",
        "data": {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": "HBox()"},
    }

    assert below(result(text_plain=plain, image_png=PICTURE)) == ""
    assert below(result(text_plain="alt.Chart(...)", text_html="<div id='x'></div><script>draw('x')</script>")) == ""
    assert below(widget) == ""


def test_pictures_inside_texts_are_left_out() -> None:
    found = text_of(markdown(f"![boat](data:image/png;base64,{PICTURE})"), code("x", printed(PICTURE)))

    assert found == "![boat](data:image/png;base64,…)\n\n```python\nx\n```\n\n```\n…\n```"


def test_a_table_of_a_result_is_a_table() -> None:
    html = (
        "<div><style scoped>.dataframe {color: red}</style><table border='1'><thead><tr><th></th><th>part</th><th>price</th></tr></thead>"
        "<tbody><tr><th>0</th><td>Lens</td><td>4</td></tr><tr><th>1</th><td>Oil</td><td>2</td></tr></tbody></table></div>"
    )

    assert below(result(text_plain="   part price\n0  Lens     4\n1  Oil     2", text_html=html)) == (
        "|  | part | price |\n| --- | --- | --- |\n| 0 | Lens | 4 |\n| 1 | Oil | 2 |"
    )


def test_of_several_forms_of_a_result_one_is_read() -> None:
    assert below(result(text_plain="<IPython.core.display.Markdown object>", text_markdown="**11** litres")) == "**11** litres"
    assert below(result(text_plain="x**2", text_latex="$x^{2}$", image_png=PICTURE)) == "$x^{2}$"


@pytest.mark.parametrize("long", ["\n".join(f"epoch {n}" for n in range(10_000)), "epoch 0 " + "é" * 100_000 + " epoch 9999"])
def test_of_a_long_output_the_beginning_and_the_end_are_kept(long: str) -> None:
    found = below(printed(long))

    assert len(found) < 4_100
    assert found.startswith("```\nepoch 0") and "\n…\n" in found and found.endswith("epoch 9999\n```")


def test_a_notebook_of_version_3_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Oil"]},
        {"cell_type": "markdown", "source": ["How\n", "much"]},
        {
            "cell_type": "code", "language": "python", "input": ["oil\n", "lamp"],
            "outputs": [
                {"output_type": "stream", "stream": "stdout", "text": ["lit\n"]},
                {"output_type": "pyout", "prompt_number": 1, "text": ["11"], "metadata": {}},
                {"output_type": "display_data", "png": PICTURE, "text": ["<Figure>"]},
                {"output_type": "pyout", "html": ["<b>12</b>"], "text": ["<HTML>"]},
                {"output_type": "pyerr", "ename": "NameError", "evalue": "oil", "traceback": ["\x1b[31mlong\x1b[0m"]},
            ],
        },
    ]  # fmt: skip
    old = json.dumps({"metadata": {"name": "unseen"}, "nbformat": 3, "worksheets": [{"cells": cells[:2]}, {"cells": cells[2:]}]})

    assert read_notebook(old).text == (
        "## Oil\n\nHow\nmuch\n\n```python\noil\nlamp\n```\n\n```\nlit\n```\n\n```\n11\n```\n\n12\n\n```\nNameError: oil\n```"
    )


def test_lines_that_were_kept_without_their_ends_are_lines() -> None:
    old = {"nbformat": 2, "worksheets": [{"cells": [{"cell_type": "markdown", "source": ["# Oil", "", "How much"]}]}]}

    assert read_notebook(json.dumps(old)).text == "# Oil\n\nHow much"


WHOLE = notebook(markdown("# Oil\n\nHow much oil a lamp burns."), code("oil", result(text_plain="11", image_png=PICTURE)))


@pytest.mark.parametrize(
    "damaged",
    [WHOLE[:-2], WHOLE[:200], f"<<<<<<< HEAD\n{WHOLE}", f"[{WHOLE}]", '"How much oil"', '{"a lamp": 1}', "How much oil", "[" * 100_000],
)
def test_what_is_no_whole_notebook_is_read_as_the_json_it_is(damaged: str) -> None:
    found = read_notebook(damaged)

    assert found.kind == "json"
    assert found.text == damaged.replace(PICTURE, "…")


@pytest.mark.parametrize("strange", [None, 1, "x", [], [1, None], {"a": 1}, [[]], [{}], [{"cell_type": "code", "outputs": 3, "source": 4}]])
def test_a_notebook_with_other_things_where_cells_are_expected_has_none(strange: Any) -> None:
    for whole in (
        {"cells": strange, "nbformat": 4},
        {"worksheets": strange, "nbformat": 3},
        {"cells": [{"cell_type": "code", "outputs": strange, "source": strange}]},
    ):
        assert read_notebook(json.dumps(whole)).kind == "markdown"


def test_a_notebook_without_words_says_so() -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        read_document(".ipynb", notebook().encode())

    assert caught.value.code == "no_text"


def test_a_notebook_is_decoded_first() -> None:
    found = read_document(".ipynb", json.dumps({"cells": [markdown("灯 lamp")]}, ensure_ascii=False).encode("gb18030"), "gb18030")

    assert (found.text, found.encoding, found.kind) == ("灯 lamp", "gb18030", "markdown")


@pytest.mark.parametrize("unit", ["\r", "`", "x\r", "\n`", "\x1b[", "~~~\n", "<p>"])
def test_time_grows_with_the_length_alone(unit: str) -> None:
    def seconds(size: int) -> float:
        long = unit * (size // len(unit))
        text = notebook(code(long, printed(long), result(text_html=long)), markdown(long))
        started = time.thread_time()
        read_notebook(text)
        return time.thread_time() - started

    seconds(10_000)
    small, large = seconds(50_000), seconds(400_000)

    assert large < 8 * 4 * small + 0.2
