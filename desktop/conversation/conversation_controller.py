"""Between the conversation's views and the application: what is shown, what runs, and what is kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from core.documents import Citation, Step
from core.errors import Cancelled, LamplightError
from core.events import AnswerExpected, AnswerFinished, AnswerRestarted, AnswerText, StepFinished, StepStarted, WebConsentWanted
from core.scope import EVERYTHING, Scope
from core.store.user_store import ConversationSummary, Turn
from desktop.conversation.answer_job import TurnSaved, answer_job
from desktop.conversation.conversation_list import ConversationList
from desktop.conversation.conversation_view import ConversationView
from desktop.conversation.details_panel import DetailsPanel
from desktop.conversation.drafts import Drafts
from desktop.conversation.places import Place, places
from desktop.conversation.running_answer import RunningAnswer
from desktop.conversation.step_words import expected_words, running_title, stored_details
from desktop.conversation.turn_view import TurnView
from desktop.conversation.turn_words import note_line, problem_of_stored
from desktop.conversation.web_consent import AskInWindow
from desktop.spoken_errors import spoken
from desktop.worker import Errands, Worker

if TYPE_CHECKING:
    from desktop.assembly import Application


class ConversationController(QObject):
    """Holds the views and the application. Everything happens in the GUI thread; waiting is the workers' part."""

    failed = Signal(object)  # LamplightError that concerns more than one answer
    details_wanted = Signal()  # the details pane should be seen

    def __init__(
        self,
        conversations: ConversationList,
        view: ConversationView,
        details: DetailsPanel,
        errands: Errands,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._list, self._view, self._details, self._errands = conversations, view, details, errands
        self.worker = Worker("answering", self)
        self.consent = AskInWindow(self)
        self._application: Application | None = None
        self._summaries: list[ConversationSummary] = []
        self._list_ticket = 0
        self._used: set[int] = set()  # conversations with a question, before the list says so
        self._shown: int | None = None
        self._turns: list[TurnView] = []
        self._trace: dict[int, list[tuple[Step, dict[str, object]]]] = {}
        self._as_typed: set[int] = set()  # turns that were asked without rewriting
        self._selected: int | None = None
        self._run: RunningAnswer | None = None
        self._next_key = -1
        self._library_size: int | None = None
        self.drafts = Drafts(errands, self)
        self._typed_early = False
        self._waiting = ""
        self._restricted: int | None = None  # the conversation whose restriction stands in the box
        self._connect()

    def _connect(self) -> None:
        box, transcript = self._view.question_box, self._view.transcript
        self._list.new_requested.connect(self.new_conversation)
        self._list.conversation_chosen.connect(self.show_conversation)
        self._list.rename_requested.connect(self._rename)
        self._list.delete_requested.connect(self._delete)
        box.question_submitted.connect(self.ask)
        box.stop_requested.connect(self.stop)
        box.draft_changed.connect(self._draft_changed)
        box.places_wanted.connect(self._offer_places)
        self._view.welcome.example_chosen.connect(self.ask)
        transcript.retry_requested.connect(self._retry)
        transcript.turn_chosen.connect(self._choose_turn)
        transcript.citation_chosen.connect(self._open_citation)
        self._details.trace.source_chosen.connect(lambda n: self._open_citation(self._selected, n))
        self._details.trace.as_typed_requested.connect(self._ask_as_typed)
        self._details.viewer.text_wanted.connect(self._fetch_text)
        self._view.consent_bar.answered.connect(self.consent.settle)
        self.consent.wanted.connect(self._view.consent_bar.ask)
        self.worker.reported.connect(self._heard)
        self.worker.ended.connect(self._ended)

    # What the window tells it

    def use(self, application: Application) -> None:
        """Work with this application from now on, and show its conversations."""
        self._application = application
        self.drafts.use(application.user_store)
        self._list_after(application.user_store.mark_interrupted)

    def release(self) -> None:
        """The application is about to close."""
        self.drafts.save()
        self.drafts.use(None)
        self._application = None

    @property
    def running(self) -> bool:
        """Whether an answer is being made."""
        return self._run is not None

    def passages(self) -> tuple[str, ...]:
        """Texts from the person's files that the conversation shows: no address may carry them away unseen."""
        answers = [turn.answer for turn in self._turns if turn.answer is not None]
        return tuple(citation.quote for answer in answers for citation in answer.citations if citation.file is not None)

    def set_library_size(self, files: int) -> None:
        """How many files an answer had to choose from."""
        self._library_size = files

    def retranslate(self) -> None:
        """Say again, in the window's new language, what was put together from words."""
        if self._shown is not None and self._run is None:
            self.show_conversation(self._shown)

    # Conversations

    def new_conversation(self) -> None:
        """Begin a conversation, or go to the one that was begun and not used."""
        if self._application is None:
            return
        empty = next((known for known in self._summaries if not known.title and known.id not in self._used), None)
        if empty is not None:
            self.show_conversation(empty.id)
            return
        store = self._application.user_store
        self._errands.do(store.create_conversation, self._created, self.failed.emit)

    def _created(self, conversation_id: int) -> None:
        self.drafts.save()
        self._shown = conversation_id
        self._reload_list()
        self._show_turns(conversation_id, [], "")
        self._view.question_box.edit.setFocus()

    def show_conversation(self, conversation_id: int) -> None:
        """Show a conversation with its draft."""
        if self._application is None:
            return
        store = self._application.user_store
        self.drafts.save()
        self._shown = conversation_id
        self._list.show_conversations(self._summaries, conversation_id)

        def load() -> tuple[list[Turn], str]:
            return store.turns(conversation_id), store.draft(conversation_id)

        self._errands.do(load, lambda found: self._show_turns(conversation_id, *found), self.failed.emit)

    def _show_list(self, summaries: list[ConversationSummary]) -> None:
        self._summaries = summaries
        chosen = self._shown
        if self._application is None:
            return
        if not summaries:
            self.new_conversation()
        elif chosen is None or all(known.id != chosen for known in summaries):
            self.show_conversation(summaries[0].id)
        else:
            self._list.show_conversations(summaries, chosen)

    def _reload_list(self) -> None:
        if self._application is not None:
            self._list_after(lambda: None)

    def _list_after(self, change: Callable[[], object]) -> None:
        """Carry out `change` and show the list as it is then. Lists that were asked for earlier are out of date and dropped."""
        if self._application is None:
            return
        store = self._application.user_store
        self._list_ticket += 1
        ticket = self._list_ticket

        def load() -> list[ConversationSummary]:
            change()
            return store.conversations()

        self._errands.do(load, lambda found: self._show_list(found) if ticket == self._list_ticket else None, self.failed.emit)

    def _show_turns(self, conversation_id: int, turns: Sequence[Turn], draft: str) -> None:
        if conversation_id != self._shown:
            return
        views = [self._stored_view(turn) for turn in turns]
        run = self._run if self._run is not None and self._run.conversation_id == conversation_id else None
        if run is not None:
            views = [view for view in views if view.key != run.key]
            views.append(run.view())
        self._turns = views
        self._trace = {key: steps for key, steps in self._trace.items() if any(view.key == key for view in views)}
        self._view.transcript.show_turns(views)
        if run is not None and run.node:
            self._show_status(run)
        if self._restricted != conversation_id:
            if views or self._restricted is not None:
                self._view.question_box.set_scope(views[-1].scope if views else EVERYTHING)
            self._restricted = conversation_id
        self._take_early_words(conversation_id, draft)
        if views:
            self._view.show_transcript()
            self._select(views[-1].key)
        else:
            self._view.show_welcome()
            self._select(None)

    def _stored_view(self, turn: Turn) -> TurnView:
        answer = turn.answer
        if turn.state == "done" and answer is not None:
            return TurnView(turn.id, turn.question, "finished", answer, turn.text, note=note_line(answer), scope=turn.scope)
        if turn.state == "done":
            return TurnView(turn.id, turn.question, "finished", None, turn.text, scope=turn.scope)
        if turn.state == "failed":
            return TurnView(turn.id, turn.question, "failed", None, turn.text, problem=problem_of_stored(turn), scope=turn.scope)
        note = note_line(answer) if answer is not None else ""
        return TurnView(turn.id, turn.question, "interrupted", answer, turn.text, note=note, scope=turn.scope)

    def _rename(self, conversation_id: int, title: str) -> None:
        if self._application is not None:
            store = self._application.user_store
            self._list_after(lambda: store.rename_conversation(conversation_id, title))

    def _delete(self, conversation_id: int) -> None:
        if self._application is None:
            return
        if self._run is not None and self._run.conversation_id == conversation_id:
            self.stop()
            self._run = None
            self._show_running()
        store = self._application.user_store
        self.drafts.forget(conversation_id)
        if self._shown == conversation_id:
            self._shown = None
        self._list_after(lambda: store.delete_conversation(conversation_id))

    # Drafts

    def _draft_changed(self) -> None:
        if self._shown is None:
            self._typed_early = True
            return
        self.drafts.keep(self._shown, self._view.question_box.text)

    def _take_early_words(self, conversation_id: int, draft: str) -> None:
        """Show the draft, unless something was typed or even sent before there was a conversation to keep it."""
        typed, waiting = self._view.question_box.text, self._waiting
        early, self._typed_early, self._waiting = self._typed_early, False, ""
        if not (early and typed):
            self._set_draft(draft)
            return
        if waiting != typed.strip() and draft and draft != typed:
            typed = f"{draft}\n{typed}"
            self._set_draft(typed)
        self.drafts.keep(conversation_id, typed)
        if waiting and waiting == typed.strip():
            QTimer.singleShot(0, self, lambda: self.ask(waiting))

    def _set_draft(self, text: str) -> None:
        self._view.question_box.edit.blockSignals(True)
        self._view.question_box.set_text(text)
        self._view.question_box.edit.blockSignals(False)
        self._show_running()

    # Asking

    def ask(self, question: str, *, as_typed: bool = False, scope: Scope | None = None) -> None:
        """Put a question into the conversation that is shown. With `as_typed` it is not rewritten, even if it is a follow-up.

        Only files of `scope` are searched, if it is None those that the question box names.
        The question box is emptied if the question comes from there; else what stands in it stays.
        """
        application, conversation_id = self._application, self._shown
        if self._run is not None:
            return
        if application is None or conversation_id is None:
            self._waiting = question
            self._view.question_box.show_hint(self.tr("Just a moment: your question is asked as soon as Lamplight is ready."))
            return
        self._used.add(conversation_id)
        only = self._view.question_box.scope if scope is None else scope
        draft = self._view.question_box.text
        if draft.strip() == question.strip():
            draft = ""
            self.drafts.forget(conversation_id)
            self._set_draft("")
        ticket = self.worker.start(
            lambda cancel: answer_job(
                application.user_store, application.session, self.consent, conversation_id, question, cancel, as_typed=as_typed, scope=only
            )
        )
        self._run = RunningAnswer(ticket, conversation_id, self._next_key, question, draft, scope=only)
        self._next_key -= 1
        if as_typed:
            self._as_typed.add(self._run.key)
        view = self._run.view()
        self._turns.append(view)
        self._trace[view.key] = self._run.steps
        self._view.transcript.add_turn(view)
        self._view.show_transcript()
        self._show_running()
        self._view.question_box.edit.setFocus()
        self._select(view.key)

    def _offer_places(self) -> None:
        """An @ was typed: say which files and folders there are."""
        if self._application is None:
            return
        library = self._application.library

        def find() -> tuple[Place, ...]:
            return places([document.path for document in library.documents() if document.chunk_count], library.sources())

        # A library that cannot be read offers nothing; that it cannot is told where it is asked.
        self._errands.do(find, self._view.question_box.offer_places, lambda _error: None)

    def stop(self) -> None:
        """Stop the answer that is being made; what is written so far stays."""
        if self._run is not None:
            self._view.consent_bar.hide()
            self._view.question_box.show_hint(self.tr("Stopping…"))
            self.worker.cancel()

    def _retry(self, key: int) -> None:
        turn = self._turn(key)
        if turn is not None and self._run is None:
            self.ask(turn.question, as_typed=key in self._as_typed, scope=turn.scope)

    def _ask_as_typed(self) -> None:
        turn = self._turn(self._selected)
        if turn is not None and self._run is None:
            self.ask(turn.question, as_typed=True, scope=turn.scope)

    def _show_running(self) -> None:
        self._view.question_box.set_running(self._run is not None)
        self._details.trace.set_answering(self._run is not None)

    # What a run says

    def _heard(self, ticket: int, event: object) -> None:
        run = self._run
        if run is None or run.ticket != ticket:
            return
        match event:
            case TurnSaved(turn_id):
                self._rekey(run, turn_id)
                self._keep_draft(run)
                self._reload_list()
            case StepStarted(node):
                run.node = node
                self._show_status(run)
                if self._selected == run.key:
                    self._details.trace.start_step(node)
            case StepFinished(step, detail):
                run.steps.append((step, detail))
                run.node = ""
                if self._selected == run.key:
                    self._details.trace.finish_step(step, detail)
            case AnswerExpected(seconds):
                run.expected_seconds = seconds
            case AnswerText(text, own_knowledge):
                self._write(run, text, own_knowledge)
            case AnswerRestarted():
                self._write_again(run)
            case WebConsentWanted(query):
                if self.consent.waiting:
                    self._view.consent_bar.ask(query)
            case AnswerFinished(answer):
                self._finish(run, run.finished_view(answer, self._library_size))

    def _ended(self, ticket: int, error: LamplightError | None) -> None:
        run = self._run
        if run is None or run.ticket != ticket:
            return
        if error is None or isinstance(error, Cancelled):
            self._finish(run, run.interrupted_view())
            return
        if run.key < 0 and not run.draft:  # not even the question could be kept: it goes back into the box
            self.drafts.keep(run.conversation_id, run.question)
            if self._shown == run.conversation_id:
                self._set_draft(run.question)
        self._finish(run, run.failed_view(error))
        if error.code in ("index_damaged", "chats_damaged", "model_missing", "model_unusable"):
            self.failed.emit(error)

    def _rekey(self, run: RunningAnswer, turn_id: int) -> None:
        self._view.transcript.rename_turn(run.key, turn_id)
        self._turns = [dataclasses.replace(turn, key=turn_id) if turn.key == run.key else turn for turn in self._turns]
        self._trace[turn_id] = self._trace.pop(run.key, run.steps)
        if self._selected == run.key:
            self._selected = turn_id
        if run.key in self._as_typed:
            self._as_typed.remove(run.key)
            self._as_typed.add(turn_id)
        run.key = turn_id

    def _keep_draft(self, run: RunningAnswer) -> None:
        """Storing a question forgets the draft on the disk; this one was not that question's."""
        if run.draft:
            shown = self._shown == run.conversation_id
            self.drafts.keep(run.conversation_id, self._view.question_box.text if shown else run.draft)

    def _write(self, run: RunningAnswer, text: str, own_knowledge: bool) -> None:
        if own_knowledge:
            run.own_text += text
        else:
            run.text += text
        card = self._view.transcript.cards.get(run.key)
        if card is not None:
            card.add_text(text, own_knowledge=own_knowledge)

    def _write_again(self, run: RunningAnswer) -> None:
        run.text = ""
        card = self._view.transcript.cards.get(run.key)
        if card is not None:
            card.clear_text()

    def _finish(self, run: RunningAnswer, view: TurnView) -> None:
        self._run = None
        self._turns = [view if turn.key == view.key else turn for turn in self._turns]
        self._view.consent_bar.hide()
        self._view.transcript.update_turn(view)
        self._show_running()
        self._view.question_box.show_hint("")
        if self._selected == view.key:
            self._show_details(view)

    def _show_status(self, run: RunningAnswer) -> None:
        card = self._view.transcript.cards.get(run.key)
        if card is not None:
            card.show_status(f"{running_title(run.node)}…{expected_words(run.expected_seconds)}")

    # Details

    def _turn(self, key: int | None) -> TurnView | None:
        return next((turn for turn in self._turns if turn.key == key), None)

    def _choose_turn(self, key: int) -> None:
        if key != self._selected:
            self._select(key)
        self._details.show_trace()
        self.details_wanted.emit()

    def _select(self, key: int | None) -> None:
        self._selected = key
        self._view.transcript.select(key)
        self._details.show_trace()
        turn = self._turn(key)
        if turn is None:
            self._details.trace.show_nothing()
        else:
            self._show_details(turn)

    def _show_details(self, turn: TurnView) -> None:
        trace = self._trace.get(turn.key)
        if turn.state == "running" and self._run is not None:
            self._details.trace.show_run(turn.question, self._run.steps, self._run.node)
        elif turn.answer is not None:
            steps: Sequence[tuple[Step, dict[str, object]]] = trace if trace else stored_details(turn.answer)
            answer = turn.answer
            self._details.trace.show_answer(turn.question, steps, answer.citations, answer.seconds, closest=answer.refused)
        else:
            self._details.trace.show_run(turn.question, trace or [])

    def _open_citation(self, key: int | None, n: int) -> None:
        turn = self._turn(key)
        citation = self._citation(turn, n)
        if turn is None or turn.answer is None or citation is None:
            return
        if self._selected != turn.key:
            self._select(turn.key)
        if citation.url:
            self._view.transcript.address_chosen.emit(citation.url)
            return
        self._details.viewer.open_citation(turn.answer.citations, n)
        self._details.show_viewer()
        self.details_wanted.emit()

    @staticmethod
    def _citation(turn: TurnView | None, n: int) -> Citation | None:
        if turn is None or turn.answer is None:
            return None
        return next((citation for citation in turn.answer.citations if citation.n == n), None)

    def open_document(self, path: Path) -> None:
        """Show a file of the library from its beginning."""
        self._details.viewer.open_file(path)
        self._details.show_viewer()
        self.details_wanted.emit()

    def _fetch_text(self, path: Path) -> None:
        if self._application is None:
            return
        library = self._application.library
        viewer = self._details.viewer
        show: Callable[[Any], None] = lambda text: viewer.show_text(path, text)  # noqa: E731
        self._errands.do(lambda: library.text(path), show, lambda error: viewer.show_problem(path, " ".join(spoken(error)[:2])))
