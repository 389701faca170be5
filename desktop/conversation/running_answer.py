"""The answer that is being made: what is known of it so far, and how it is shown while it runs and when it ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.documents import Answer, Step
from core.errors import LamplightError
from core.scope import EVERYTHING, Scope
from desktop.conversation.turn_view import TurnState, TurnView
from desktop.conversation.turn_words import note_line, problem_of


@dataclass
class RunningAnswer:
    """One run of the graph. `ticket` is the worker's; `key` is negative until the question is stored, then the id of its turn."""

    ticket: int
    conversation_id: int
    key: int
    question: str
    draft: str = ""  # what stood in the box and was not sent
    steps: list[tuple[Step, dict[str, object]]] = field(default_factory=list)
    node: str = ""
    text: str = ""
    own_text: str = ""
    expected_seconds: float | None = None
    scope: Scope = EVERYTHING

    def view(self) -> TurnView:
        """As it is now."""
        return TurnView(self.key, self.question, "running", text=self.text, own_text=self.own_text, scope=self.scope)

    def finished_view(self, answer: Answer, library_size: int | None) -> TurnView:
        """With its answer, which may be half of one."""
        state: TurnState = "interrupted" if answer.interrupted else "finished"
        note = note_line(answer)
        return TurnView(self.key, self.question, state, answer, answer.text, library_size=library_size, note=note, scope=self.scope)

    def interrupted_view(self) -> TurnView:
        """Stopped by the person: what was written stays."""
        return TurnView(self.key, self.question, "interrupted", None, self.text, self.own_text, scope=self.scope)

    def failed_view(self, error: LamplightError) -> TurnView:
        """Ended by a failure: what was written stays, with what happened."""
        return TurnView(self.key, self.question, "failed", None, self.text, self.own_text, problem_of(error), scope=self.scope)
