from __future__ import annotations

from dataclasses import replace

from core.cancel import CancelToken
from core.documents import Message, Prompt
from core.qa.state import PIPELINES
from tests.fakes.asking import Asked, session_over
from tests.fakes.retrieval import KnownPassages, passage
from tests.fakes.scripted_chat_model import ScriptedChatModel
from tests.quality.ablation import NothingShared, WrittenLabels


def prompt(text: str) -> Prompt:
    return Prompt((Message("system", "Rules."), Message("user", text)))


def test_without_the_cache_no_prompt_begins_like_the_one_before() -> None:
    model = ScriptedChatModel(choices=lambda prompt, labels: {labels[0]: 1.0})
    plain = (
        model.choose(prompt("one"), ("yes", "no"), cancel=CancelToken()),
        model.choose(prompt("two"), ("yes", "no"), cancel=CancelToken()),
    )
    alone = NothingShared(model)
    apart = (
        alone.choose(prompt("one"), ("yes", "no"), cancel=CancelToken()),
        alone.choose(prompt("two"), ("yes", "no"), cancel=CancelToken()),
    )

    assert plain[1].usage.reused > 0
    assert apart[1].usage.reused == 0


def test_without_label_logits_the_label_is_written() -> None:
    model = ScriptedChatModel(replies=[{"label": "no"}])

    choice = WrittenLabels(model).choose(prompt("Enough?"), ("yes", "no"), cancel=CancelToken())

    assert choice.probabilities == {"yes": 0.0, "no": 1.0}
    assert choice.usage.generated == 1


def test_without_hop_answers_a_chain_ends_before_its_second_link() -> None:

    model = ScriptedChatModel(
        streams=lambda prompt: "Anna Berg",
        replies=lambda prompt, kind: {"lookups": ["Who runs the library?", "When does #1 work?"]},
        choices=lambda prompt, labels: {labels[0]: 1.0},
    )
    session = session_over(model, KnownPassages(otherwise=[passage(1, "Anna Berg runs the library.")]))
    features = replace(PIPELINES["full"], hop_answers=False)

    asked = Asked(list(session.ask("When does the head of the library work?", cancel=CancelToken(), features=features)))

    assert [lookup.query for lookup in asked.answer.sub_questions] == ["Who runs the library?"]
