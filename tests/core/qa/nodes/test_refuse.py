from __future__ import annotations

import pytest

from core.qa.nodes.refuse import names_what_is_in

PASSAGES = ["Petra Quill looks after the music. The harbour master wrote it down.", "燕鸥港港务局通知：TL-40 潮汐灯更换万向环。"]


@pytest.mark.parametrize("question", ["What is the salary of Petra Quill?", "港务局局长叫什么名字？", "Who sells the TL-40?"])
def test_a_question_that_names_what_the_files_name_is_about_them(question: str) -> None:
    assert names_what_is_in(question, PASSAGES)


@pytest.mark.parametrize("question", ["Who wrote Romeo and Juliet?", "法国的首都在哪里？", "What is the boiling point of water?"])
def test_a_question_about_the_world_is_not(question: str) -> None:
    assert not names_what_is_in(question, PASSAGES)
