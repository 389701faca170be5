"""One form for Chinese in traditional and in simplified characters, so that either finds the other. Only for comparing, never for showing.

The characters are OpenCC's (https://github.com/BYVoid/OpenCC), asked one at a time and kept as a table: what a character becomes must
not depend on its neighbours, else a word of a query and the same word inside a sentence could come out differently (OpenCC leaves
乾 in 乾隆 and writes 干 for 乾 alone). Where one simplified character stands for several traditional ones (后, 发, 干), these are one here too.
Japanese is put into the same form on both sides, so it still finds itself: 東京 and 东京 become one, 気 and 薬 stay as they are.
"""

from __future__ import annotations

from functools import cache

# Chinese characters outside the rare planes' compatibility block: those are unified by NFKC before.
_BLOCKS = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0x20000, 0x2FA20), range(0x30000, 0x33480))
# Taiwan writes 著 where others write 着 ("隨著", "随着"); OpenCC leaves it, as 著作 has it everywhere.
_ALSO = {ord("著"): "着"}


def simplified(text: str) -> str:
    """`text` with simplified characters, in the same number of characters; doing it twice changes nothing more."""
    return text.translate(_table())


@cache
def simplified_version() -> str:
    """Names the table. What was kept in the form of another table cannot be compared with today's."""
    import opencc

    return f"opencc-{opencc.__version__}"


@cache
def _table() -> dict[int, str]:
    # Imported at the first search, with its dictionaries: together 40 ms.
    from opencc import OpenCC

    characters = [chr(code) for block in _BLOCKS for code in block]
    converted = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    table = {ord(old): new for old, new in zip(characters, converted, strict=True) if new != old and len(new) == 1} | _ALSO
    return {old: table.get(ord(new), new) for old, new in table.items()}
