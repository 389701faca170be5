"""Whether a drafted answer was read in the evidence or made up: the model's own judgement, weighed with what code can see.

A small model calls almost every evidence enough, and writes an answer whenever it is asked for one. What gives it away: the words of
an invented answer are not in the passages, and passages about something else do not have the words of the question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.qa.citations import share, terms
from core.qa.thresholds import ALWAYS, NEVER, logit

# Words that a question has whatever it is about.
_ASKING = frozenset(
    "what who whom whose when where which how why does do did can could would should will much many long often any one there"
    " his her their its name kind type".split()
)
_YES_OR_NO = frozenset("yes no true false both neither 是 否 对 不 没 不是 是的 没有 相同 不同 不对".split())


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for a draft.

    `margin`: how far the model's belief that the passages state the answer is above its threshold, as a difference of log odds.
    `read`: the share (0..1) of the draft's own words that one passage has, and 0.8 where it has none of its own, as yes and no. `about`: the share
    of the question's words that one passage has.
    """

    margin: float
    read: float
    about: float

    @property
    def probability(self) -> float:
        """How likely the draft was read in the evidence, 0..1."""
        return 1.0 / (1.0 + math.exp(-(MARGIN * self.margin + READ * self.read + ABOUT * self.about + OFFSET)))


# The model's margin and the question's words have the weights that logistic regression found on 37 questions of the tuning halves; the draft's words keep a
# say by hand, because drafts made up from nothing are the worst, and the offset is what refuses few answerable ones. SQuAD's adversarial
# questions are told apart by none of it: docs/quality.md.
MARGIN, READ, ABOUT, OFFSET = 1.6, 1.0, 4.0, -2.6
NOTHING_OF_ITS_OWN = 0.8


def margin(stated: float, threshold: float) -> float:
    """How far `stated` is above `threshold` in log odds; 0 where the model cannot tell and the threshold is fixed."""
    return logit(stated) - logit(threshold) if ALWAYS < threshold < NEVER else 0.0


def before_a_draft(question: str, passages: Sequence[tuple[str, str]], stated: float, threshold: float) -> float:
    """How likely the answer can be read in the passages, given as headings and texts, 0..1; 0 where the model cannot tell."""
    if not ALWAYS < threshold < NEVER:
        return 0.0
    return support(question, "", passages, margin(stated, threshold)).probability


def support(question: str, draft: str, passages: Sequence[tuple[str, str]], margin: float) -> Support:
    """Compare a draft and its question with the evidence, given as headings and texts.

    What is read is read in a text: the name of a file is no answer. What a passage is about its heading may say. The words of several
    passages do not add up, not even for the links of a chain: together they nearly always have the words of the question, whatever they say.
    """
    found = [terms(f"{heading}\n{text}") for heading, text in passages]
    asked = terms(question) - _ASKING
    own = terms(draft) - asked
    read = NOTHING_OF_ITS_OWN if own <= _YES_OR_NO else max((share(own, terms(text)) for _, text in passages), default=0.0)
    about = max((share(asked, passage) for passage in found), default=0.0) if asked else 0.5
    return Support(margin, read, about)
