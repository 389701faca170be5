"""Which tokens lie in which sequence of the shared KV cache, and which sequence the next prompt should continue.

Pure bookkeeping: it decides, the engine carries out. Every token that was evaluated occupies one cell; a forked sequence shares
the cells of its beginning, so the cells in use are counted exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

KEEP_TOKENS = 64
"""A sequence that holds at least this much work beyond the shared beginning is forked; less is overwritten."""


# The few-shot beginnings of routing and planning, in two languages, stay beside the longest question.
KEPT_TOKENS = 2048


def cache_cells(context_tokens: int) -> int:
    """Cells of the cache for a context window: one prompt as long as the window, and the beginnings that every question shares."""
    return context_tokens + KEPT_TOKENS


@dataclass
class Slot:
    """One sequence: its tokens, the cells they lie in, and when it was last used."""

    sequence: int
    tokens: list[int] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    used: int = 0

    def cut(self, length: int) -> None:
        """Forget everything from position `length` on."""
        del self.tokens[length:]
        del self.cells[length:]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do for a prompt: drop `evicted`, copy the first `reuse` tokens of `source` if there is one, continue `slot` at `reuse`."""

    slot: Slot
    source: Slot | None
    reuse: int
    evicted: tuple[Slot, ...]


class SlotTable:
    """All sequences of one context of `capacity` cells. `partial` is false for models that cannot drop the end of a sequence."""

    def __init__(self, sequences: int, capacity: int, *, partial: bool = True) -> None:
        self.slots = [Slot(number) for number in range(sequences)]
        self.capacity = capacity
        self.partial = partial
        self._clock = itertools.count(1)
        self._cell = itertools.count(1)

    @property
    def cells_used(self) -> int:
        """Cells in use, each counted once however many sequences share it."""
        return len(set().union(*(slot.cells for slot in self.slots)))

    def plan(self, tokens: Sequence[int]) -> Plan:
        """Choose the sequence for a prompt and apply the choice to the table.

        At least the last token is left to evaluate: its logits are what the prompt is evaluated for.
        """
        best, shared = self._longest_match(tokens)
        reuse = min(shared, len(tokens) - 1)
        source: Slot | None = None
        if best is None or reuse == 0:
            slot = self._least_used(())
            slot.cut(0)
            reuse = 0
        elif len(best.tokens) - reuse < KEEP_TOKENS or len(self.slots) == 1:
            slot = best
            slot.cut(reuse)
        else:
            source, slot = best, self._least_used((best,))
            slot.tokens, slot.cells = source.tokens[:reuse], source.cells[:reuse]
            source.used = next(self._clock)
        slot.used = next(self._clock)
        return Plan(slot, source, reuse, self.make_room(len(tokens) - reuse, slot))

    def known(self, tokens: Sequence[int]) -> int:
        """How many tokens of a prompt's beginning lie in the cache."""
        return self._longest_match(tokens)[1]

    def adopt(self, tokens: Sequence[int]) -> tuple[Slot, tuple[Slot, ...]]:
        """Give tokens whose state comes from elsewhere a sequence of their own; returns it and the sequences that were emptied for it."""
        slot = self._least_used(())
        slot.cut(0)
        evicted = self.make_room(len(tokens), slot)
        self.append(slot, tokens)
        slot.used = next(self._clock)
        return slot, evicted

    def make_room(self, cells: int, keep: Slot) -> tuple[Slot, ...]:
        """Empty the least recently used other sequences until `cells` more fit; returns those that were emptied."""
        evicted: list[Slot] = []
        while self.cells_used + cells > self.capacity:
            others = [slot for slot in self.slots if slot is not keep and slot.tokens]
            if not others:
                break
            oldest = min(others, key=lambda slot: slot.used)
            oldest.cut(0)
            evicted.append(oldest)
        return tuple(evicted)

    def append(self, slot: Slot, tokens: Sequence[int]) -> None:
        """Record tokens that were evaluated at the end of a sequence."""
        slot.tokens.extend(tokens)
        slot.cells.extend(next(self._cell) for _ in tokens)

    def _longest_match(self, tokens: Sequence[int]) -> tuple[Slot | None, int]:
        best, longest = None, 0
        for slot in sorted(self.slots, key=lambda slot: -slot.used):
            shared = common_prefix(slot.tokens, tokens)
            if not self.partial and (shared < len(slot.tokens) or shared == len(tokens)):
                continue
            if shared > longest:
                best, longest = slot, shared
        return best, longest

    def _least_used(self, excluded: tuple[Slot, ...]) -> Slot:
        return min((slot for slot in self.slots if slot not in excluded), key=lambda slot: (bool(slot.tokens), slot.used))


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two sequences have in common at the beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
