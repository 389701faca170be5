"""The window with everything that lives while it is open: the window comes first, everything else behind it, and all of it ends in order.

Stop order, written down once, in `WindowApp.stop`: the answer, the watching, the indexing, the warming up, the errands, the models, the stores.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog

from core.cancel import CancelToken
from core.errors import Cancelled, LamplightError
from core.events import AnswerFinished, IndexFinished
from core.logs import EventLog
from core.paths import RESOURCES, Paths
from core.settings import Settings
from core.settings_file import SettingsNotice, save_settings
from desktop.conversation.conversation_controller import ConversationController
from desktop.conversation.link_question import ask_to_open
from desktop.event_lines import log_answer, log_index_report
from desktop.library.library_controller import LibraryController, MakeWatch
from desktop.main_window import MainWindow
from desktop.spoken_errors import spoken, spoken_action
from desktop.start_options import StartOptions
from desktop.theme import apply_theme
from desktop.translation import install_language
from desktop.warming import warm_up
from desktop.worker import Errands, Worker

if TYPE_CHECKING:
    from desktop.assembly import Application

Assemble = Callable[[Paths, Settings], "Application"]
WarmUp = Callable[["Application", CancelToken], Iterator[None]]

STOP_SECONDS = 3.0
FIRST_PAINT_MS = 50
_DELETE_ON_CLOSE = Qt.WidgetAttribute.WA_DeleteOnClose
SAMPLE_LIBRARY = RESOURCES / "sample_library"


class WindowApp(QObject):
    """Everything that lives while the window is open. `saved` are the settings on the disk; `options` hold instead, in this start."""

    def __init__(
        self,
        paths: Paths,
        saved: Settings,
        assemble: Assemble,
        *,
        warm: WarmUp = warm_up,
        options: StartOptions | None = None,
        log: EventLog | None = None,
        make_watch: MakeWatch | None = None,
    ) -> None:
        super().__init__()
        self.paths = paths
        self._saved, self._options = saved, options or StartOptions()
        self.settings = settings = self._options.applied_to(saved)
        self._log = log
        self._assemble, self._warm = assemble, warm
        self.application: Application | None = None
        self._made: Application | None = None  # the same, already while it is being handed over
        self._opening = False
        self._next: Settings | None = None
        self._anew = False
        self._noticed = ""
        self._wanted: list[Path] = []
        self._stopped = False
        self.window = MainWindow()
        self._state = QSettings(str(paths.home / "window.ini"), QSettings.Format.IniFormat)
        self.errands = Errands("errands", self)
        self._warming = Worker("warming", self)
        self.conversation = ConversationController(
            self.window.conversations, self.window.conversation, self.window.details, self.errands, self
        )
        self.library = LibraryController(self.window.library, self, make_watch=make_watch)
        self.window.conversation.question_box.set_web_mode(settings.web.mode)
        self._connect()

    def _connect(self) -> None:
        window, welcome, box = self.window, self.window.conversation.welcome, self.window.conversation.question_box
        window.files_dropped.connect(self.add_paths)
        box.files_pasted.connect(self.add_paths)
        for asks in (window.add_files_action.triggered, window.library.add_files_requested, welcome.add_files_requested):
            asks.connect(lambda *_: self.ask_for_files())
        for asks in (window.add_folder_action.triggered, window.library.add_folder_requested, welcome.add_folder_requested):
            asks.connect(lambda *_: self.ask_for_folder())
        welcome.sample_requested.connect(lambda: self.add_paths([SAMPLE_LIBRARY]))
        window.library.document_opened.connect(self.conversation.open_document)
        window.conversation.transcript.address_chosen.connect(self.open_address)
        window.new_action.triggered.connect(lambda *_: self.conversation.new_conversation())
        window.stop_action.triggered.connect(lambda *_: self.conversation.stop())
        window.settings_action.triggered.connect(lambda *_: self.open_settings())
        window.about_action.triggered.connect(lambda *_: self.open_about())
        window.banner.action_requested.connect(self.act)
        window.closed.connect(self._remember_window)
        box.web_mode_chosen.connect(self._choose_web_mode)
        self.conversation.details_wanted.connect(window.show_details)
        self.conversation.failed.connect(self.show_problem)
        self.conversation.worker.ended.connect(lambda *_: self._change_over())
        self.library.failed.connect(self._library_failed)
        self.library.changed.connect(self._library_changed)
        self.library.worker.ended.connect(lambda *_: self._change_over())
        self.errands.failed.connect(self.show_problem)
        self._warming.ended.connect(self._warmed)
        window.banner.put_away.connect(self._notice_seen)
        self._connect_log()

    def _connect_log(self) -> None:
        for worker in (self.conversation.worker, self.library.worker, self._warming):
            worker.ended.connect(lambda _ticket, error: self._log_failure(error))
            worker.reported.connect(lambda _ticket, event: self._log_event(event))
        self.errands.went_wrong.connect(self._log_failure)
        self.library.unwatched.connect(self._log_unwatched)

    # Start

    def show(self) -> None:
        """Show the window; whatever takes time begins once it is on the screen."""
        geometry, panes = self._state.value("geometry"), self._state.value("panes")
        if geometry is not None and panes is not None:
            self.window.restore_state(geometry, panes)
        self.window.show()
        self.window.conversation.question_box.edit.setFocus()
        QTimer.singleShot(FIRST_PAINT_MS, self, self.open_application)

    def open_application(self) -> None:
        """Put the parts together, outside the GUI thread, and begin to use them; what fails is said in the window, which stays."""
        if self._stopped or self.application is not None or self._opening:
            return
        self._opening = True
        settings = self.settings

        def put_together() -> Application:
            self._made = self._assemble(self.paths, settings)
            return self._made

        self.errands.do(put_together, self._begin, self._opening_failed)

    def _opening_failed(self, error: LamplightError) -> None:
        self._opening = False
        self.show_problem(error)

    def _begin(self, application: Application) -> None:
        self._opening = False
        self.application = application
        self.conversation.use(application)
        self.library.use(application.library)
        wanted, self._wanted = self._wanted, []
        self.library.add_paths(wanted)
        self._warming.start(lambda cancel: self._warm(application, cancel))
        self._say_smaller_model(application)
        self._change_over()  # the settings may have changed meanwhile

    def _warmed(self, _ticket: int, error: LamplightError | None) -> None:
        if error is not None and error.code != "cancelled":
            self.show_problem(error)

    # What the person wants

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Add files and folders, now or as soon as the library is there."""
        if self.application is None:
            self._wanted.extend(paths)
        else:
            self.library.add_paths(list(paths))

    def second_start(self, paths: Sequence[Path]) -> None:
        """Another start was given these paths: come to the front and add them."""
        self.window.setWindowState(self.window.windowState() & ~self.window.windowState().WindowMinimized)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        self.add_paths(paths)

    def ask_for_files(self) -> QFileDialog:
        """Let the person choose files."""
        dialog = QFileDialog(self.window, self.tr("Add files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        return self._ask(dialog)

    def ask_for_folder(self) -> QFileDialog:
        """Let the person choose a folder."""
        dialog = QFileDialog(self.window, self.tr("Add a folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        return self._ask(dialog)

    def _ask(self, dialog: QFileDialog) -> QFileDialog:
        dialog.setAttribute(_DELETE_ON_CLOSE)
        dialog.filesSelected.connect(lambda files: self.add_paths([Path(file) for file in files]))
        dialog.open()
        return dialog

    def open_address(self, address: str) -> None:
        """Ask before a link is opened."""
        ask_to_open(self.window, address, self.conversation.passages())

    def open_settings(self) -> Any:
        """Show the settings dialog."""
        from desktop.preferences.settings_dialog import SettingsDialog  # not needed for the first window

        dialog = SettingsDialog(self.settings, self.window)
        dialog.setAttribute(_DELETE_ON_CLOSE)
        dialog.settings_accepted.connect(self.apply_settings)
        dialog.open()
        return dialog

    def open_about(self) -> Any:
        """Show what Lamplight promises."""
        from desktop.about_dialog import AboutDialog  # not needed for the first window

        model = self.application.chat_model.model_id if self.application is not None else ""
        dialog = AboutDialog(model, str(self.paths.home), self.window)
        dialog.open()
        return dialog

    def act(self, action: str) -> None:
        """Do what the banner's button promises."""
        if action == "open_settings" or action == "install_models":
            self.open_settings()
        elif action == "add_files":
            self.ask_for_files()
        elif action == "rebuild_index" and self.application is not None:
            self.library.rebuild_index()
        elif action == "new_question":
            self.window.conversation.question_box.edit.setFocus()
        elif self.application is None:
            self.open_application()
        else:
            self._next, self._anew = self.settings, True
            self._change_over()

    # Settings

    def _choose_web_mode(self, mode: str) -> None:
        web = self.settings.web.model_copy(update={"mode": mode})
        self.apply_settings(self.settings.model_copy(update={"web": web}))

    def apply_settings(self, settings: Settings) -> None:
        """Keep the settings and follow them: looks and language at once, the rest as soon as no job runs."""
        before, self.settings = self.settings, settings
        self._saved, self._options = saved, _ = self._options.after_change(self._saved, settings)
        self.errands.do(lambda: save_settings(self.paths, saved))
        self.window.conversation.question_box.set_web_mode(settings.web.mode)
        dress(self.paths, settings, before)
        if settings.appearance.language != before.appearance.language:
            self.conversation.retranslate()
        if settings.model_copy(update={"appearance": before.appearance}) != before:
            self._next = settings
            self._change_over()

    def _change_over(self) -> None:
        """Replace the application once neither an answer nor the indexing needs it."""
        if self._next is None or self._stopped or self._opening or self.conversation.running:
            return
        if self.application is not None and self._next.models == self.application.settings.models and not self._anew:
            self.application = self._made = self.application.with_settings(self._next)
            self._next = None
            self.conversation.use(self.application)
            return
        if self.library.busy:
            self.library.release()
            return
        self._next, self._anew = None, False
        old, self.application = self.application, None
        self.conversation.release()
        self.library.release()
        self._warming.cancel()
        self.window.banner.show_words("", "")
        if old is None:
            self.open_application()
        else:
            self.errands.do(old.close, lambda _none: self.open_application(), self._close_failed)

    def _close_failed(self, error: LamplightError) -> None:
        self.show_problem(error)
        self.open_application()

    # What went wrong

    def show_problem(self, error: LamplightError) -> None:
        """Say in the banner what happened and what can be done."""
        words = spoken(error)
        self.window.banner.show_problem(words.title, words.what_to_do, words.action, words.label)

    def show_notices(self, notices: Sequence[SettingsNotice]) -> None:
        """Say that some settings could not be read."""
        if notices:
            names = ", ".join(notice.setting for notice in notices if notice.setting)
            title = self.tr("Some settings could not be read and are back at their defaults.")
            self.window.banner.show_problem(title, names, "open_settings", spoken_action("open_settings"))

    def _say_smaller_model(self, application: Application) -> None:
        smaller = application.smaller_model
        if smaller is None or self._state.value("smaller_model_seen") == smaller.wanted_id:
            return
        title = self.tr("{wanted} could not be fetched, so the smaller {installed} answers.")
        text = self.tr("Its answers are simpler. To fetch the larger one, run: python3 lamplight.py models install {id}")
        self._noticed = smaller.wanted_id
        self.window.banner.show_notice(
            title.replace("{wanted}", smaller.wanted).replace("{installed}", smaller.installed), text.replace("{id}", smaller.wanted_id)
        )

    def _notice_seen(self) -> None:
        if self._noticed and self.window.banner.is_calm:
            self._state.setValue("smaller_model_seen", self._noticed)

    def _log_event(self, event: object) -> None:
        if self._log is None:
            return
        match event:
            case AnswerFinished(answer):
                log_answer(self._log, answer)
            case IndexFinished(report):
                log_index_report(self._log, report)

    def _log_unwatched(self, sources: int) -> None:
        if self._log is not None:
            self._log.event("unwatched", sources=sources)

    def _log_failure(self, error: LamplightError | None) -> None:
        if self._log is not None and error is not None and not isinstance(error, Cancelled):
            self._log.failure(error)

    def _library_failed(self, error: LamplightError) -> None:
        if spoken(error).action:
            self.show_problem(error)

    def _library_changed(self, files: int, titles: tuple[str, ...]) -> None:
        self.conversation.set_library_size(files)
        self.window.conversation.welcome.show_library(files, titles)

    # End

    def _remember_window(self) -> None:
        geometry, panes = self.window.geometry_state()
        self._state.setValue("geometry", geometry)
        self._state.setValue("panes", panes)

    def stop(self) -> bool:
        """End everything in order, in at most three seconds; returns whether every thread ended by itself."""
        if self._stopped:
            return True
        self._stopped = True
        self.window.hide()
        self.conversation.release()
        ended = [
            self.conversation.worker.stop(STOP_SECONDS * 0.3),
            self.library.stop(STOP_SECONDS * 0.2),
            self._warming.stop(STOP_SECONDS * 0.1),
            self.errands.stop(STOP_SECONDS * 0.2),
        ]
        application, self.application, self._made = self._made, None, None
        if application is not None:
            closing = threading.Thread(target=application.close, name="closing", daemon=True)
            closing.start()
            closing.join(STOP_SECONDS * 0.2)
            ended.append(not closing.is_alive())
        return all(ended)


def dress(paths: Paths, settings: Settings, before: Settings | None = None) -> None:
    """Give the whole program the theme and language of the settings, as far as they differ from before."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    if before is None or settings.appearance.theme != before.appearance.theme:
        apply_theme(app, settings.appearance.theme)
    if before is None or settings.appearance.language != before.appearance.language:
        install_language(app, settings.appearance.language, cache=paths.home / "cache")
