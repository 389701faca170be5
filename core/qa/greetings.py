"""Greetings and thanks need no document and no model to see it."""

from __future__ import annotations

import re

_WORDS = (
    r"hi|hello|hey|hiya|(?:hi|hello|hey) there|good (?:morning|afternoon|evening|night)|(?:good)?bye|see you(?: later)?|"
    r"thanks?(?: you)?(?: very| so)?(?: much| a lot)?|thx|cheers|"
    r"你好|您好|哈[喽啰]|嗨|早上好|上午好|中午好|下午好|晚上好|早安|晚安|再见|拜拜|(?:多谢|谢谢)[你您]?(?:了|啦|啊)?"
)
_GREETING = re.compile(rf"(?:(?:{_WORDS})[\s,.!?~，。！？～…]*)+", re.IGNORECASE)


def is_greeting(text: str) -> bool:
    """Whether the text is nothing but a greeting, a goodbye or thanks."""
    return _GREETING.fullmatch(text.strip()) is not None
