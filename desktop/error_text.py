"""The words for everything that can go wrong, keyed by code: a title, what to do about it, and what a button could do.

Qt-free, because the command line says the same. The English here is the source text; the window looks each string up in the
context "errors" of the translation files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.errors import LamplightError

Action = Literal["", "retry", "open_settings", "install_models", "rebuild_index", "add_files", "new_question"]


@dataclass(frozen=True, slots=True)
class ErrorText:
    """English words for one code.

    `title` says what happened, `what_to_do` what helps; both are whole sentences. `action` names the button that does it
    (its label is `ACTION_LABELS[action]`), or is empty when no button can.
    """

    title: str
    what_to_do: str
    action: Action = ""


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark `text` for the translation files and return it unchanged."""
    return text


ACTION_LABELS: Mapping[Action, str] = {
    "retry": QT_TRANSLATE_NOOP("errors", "Try again"),
    "open_settings": QT_TRANSLATE_NOOP("errors", "Open settings"),
    "install_models": QT_TRANSLATE_NOOP("errors", "Choose a model"),
    "rebuild_index": QT_TRANSLATE_NOOP("errors", "Rebuild the index"),
    "add_files": QT_TRANSLATE_NOOP("errors", "Add files"),
    "new_question": QT_TRANSLATE_NOOP("errors", "Edit the question"),
}

UNKNOWN = ErrorText(
    QT_TRANSLATE_NOOP("errors", "Something went wrong that Lamplight has no words for."),
    QT_TRANSLATE_NOOP("errors", "Try again. If it happens again, the log in the data folder says more."),
    "retry",
)

ERRORS: Mapping[str, ErrorText] = {
    "error": UNKNOWN,
    "defect": UNKNOWN,
    "cancelled": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Stopped."),
        QT_TRANSLATE_NOOP("errors", "Nothing is lost. Ask again whenever you like."),
    ),
    "model_missing": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model is not on this computer."),
        QT_TRANSLATE_NOOP("errors", "Choose another model in the settings, or put the file back where it was."),
        "install_models",
    ),
    "model_unusable": ErrorText(
        QT_TRANSLATE_NOOP("errors", "This file is not a model that Lamplight can run."),
        QT_TRANSLATE_NOOP(
            "errors",
            "Choose a GGUF chat model or a sentence-transformers folder in the settings. A download that broke off must be fetched again.",
        ),
        "open_settings",
    ),
    "not_enough_memory": ErrorText(
        QT_TRANSLATE_NOOP("errors", "There is not enough free memory for this model."),
        QT_TRANSLATE_NOOP("errors", "Close other programs, or choose a smaller model or a smaller context size in the settings."),
        "open_settings",
    ),
    "prompt_too_long": ErrorText(
        QT_TRANSLATE_NOOP("errors", "This is too long for the model to read at once."),
        QT_TRANSLATE_NOOP("errors", "Shorten the question, or raise the context size in the settings."),
        "new_question",
    ),
    "reply_unusable": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model gave a reply that cannot be used."),
        QT_TRANSLATE_NOOP("errors", "Ask again in other words, or choose a larger model in the settings."),
        "retry",
    ),
    "grammar_invalid": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model could not be told what form its reply must have."),
        QT_TRANSLATE_NOOP(
            "errors", "This is a mistake in Lamplight, not yours. Choose another chat model in the settings until it is mended."
        ),
        "open_settings",
    ),
    "index_damaged": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The index of your files is damaged."),
        QT_TRANSLATE_NOOP("errors", "Rebuild it: your files are untouched and are read again. Conversations are kept."),
        "rebuild_index",
    ),
    "chats_damaged": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file that holds your conversations is damaged."),
        QT_TRANSLATE_NOOP(
            "errors", "Nothing has been deleted. Put a backup of user.db into the data folder, or move the file away to start afresh."
        ),
    ),
    "not_enough_disk": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The disk is full."),
        QT_TRANSLATE_NOOP("errors", "Make some room, then try again. What was finished before is kept."),
        "retry",
    ),
    "not_found": ErrorText(
        QT_TRANSLATE_NOOP("errors", "There is nothing by that name."),
        QT_TRANSLATE_NOOP("errors", "Check the name: it may have been moved, renamed or deleted."),
    ),
    "invalid_request": ErrorText(
        QT_TRANSLATE_NOOP("errors", "This cannot be done as asked."),
        QT_TRANSLATE_NOOP("errors", "Change what you entered and try again."),
        "new_question",
    ),
    "question_empty": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The question is empty."),
        QT_TRANSLATE_NOOP("errors", "Type what you want to know."),
        "new_question",
    ),
    "question_too_long": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The question is too long."),
        QT_TRANSLATE_NOOP("errors", "Shorten it, or add the long text as a file and ask about that."),
        "new_question",
    ),
    "encoding_unknown": ErrorText(
        QT_TRANSLATE_NOOP("errors", "There is no encoding of that name."),
        QT_TRANSLATE_NOOP("errors", "Name one such as utf-8, gb18030, big5, shift_jis or windows-1252, or auto."),
    ),
    "encoding_fixed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "This file says itself how it is to be read."),
        QT_TRANSLATE_NOOP("errors", "Only for text and web pages can an encoding be chosen."),
    ),
    "library_empty": ErrorText(
        QT_TRANSLATE_NOOP("errors", "There is no file in the library yet."),
        QT_TRANSLATE_NOOP("errors", "Add files or a folder first."),
        "add_files",
    ),
    "not_in_library": ErrorText(
        QT_TRANSLATE_NOOP("errors", "What the question is restricted to is no longer in the library."),
        QT_TRANSLATE_NOOP("errors", "Add it again, or ask without the restriction."),
        "new_question",
    ),
    "scope_empty": ErrorText(
        QT_TRANSLATE_NOOP("errors", "There is nothing to search in what the question is restricted to."),
        QT_TRANSLATE_NOOP("errors", "Wait until its files are ready, or ask without the restriction."),
        "new_question",
    ),
    "home_unusable": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The folder for Lamplight's own files cannot be used."),
        QT_TRANSLATE_NOOP("errors", "Check that it is a folder you may write to, or start Lamplight with another one."),
    ),
    "not_writable": ErrorText(
        QT_TRANSLATE_NOOP("errors", "A file of Lamplight's own cannot be written."),
        QT_TRANSLATE_NOOP("errors", "Check that you may write to the data folder, then try again."),
        "retry",
    ),
    "made_by_newer_version": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Lamplight's data was written by a newer version of Lamplight."),
        QT_TRANSLATE_NOOP("errors", "Update Lamplight to use it. Nothing has been changed."),
    ),
    "install_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model could not be installed."),
        QT_TRANSLATE_NOOP(
            "errors", "Check the network connection and the free disk space, then try again: the download goes on where it stopped."
        ),
        "retry",
    ),
    "child_crashed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model stopped unexpectedly."),
        QT_TRANSLATE_NOOP("errors", "Ask again: it is started anew. If it keeps stopping, choose a smaller model in the settings."),
        "retry",
    ),
    "child_timed_out": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model did not answer in time and was stopped."),
        QT_TRANSLATE_NOOP("errors", "Try again. If this computer is busy, close other programs first."),
        "retry",
    ),
    "store_locked": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Another program is using Lamplight's data."),
        QT_TRANSLATE_NOOP("errors", "Wait for it to finish or close it, then try again."),
        "retry",
    ),
    "web_offline": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The web search failed: this computer is offline."),
        QT_TRANSLATE_NOOP("errors", "Connect to the network and ask again, or use the answer from your files."),
        "retry",
    ),
    "web_limited": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The web search failed: the search engine asks for a pause."),
        QT_TRANSLATE_NOOP("errors", "Wait a few minutes and ask again."),
        "retry",
    ),
    "web_timed_out": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The web search failed: there was no reply in time."),
        QT_TRANSLATE_NOOP("errors", "Check the network connection and ask again."),
        "retry",
    ),
    "web_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The web search failed: the reply could not be read."),
        QT_TRANSLATE_NOOP("errors", "Ask again later, or set another search server in the settings."),
        "open_settings",
    ),
    "web_declined": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The web was not searched, because you said no."),
        QT_TRANSLATE_NOOP("errors", "Nothing was sent. Ask again if you change your mind."),
        "retry",
    ),
    "web_query_refused": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The web was not searched: the question has no words that may leave this computer."),
        QT_TRANSLATE_NOOP("errors", "Ask in words that name what you look for, without addresses, secrets or file paths."),
        "new_question",
    ),
}

REASONS: Mapping[str, ErrorText] = {
    "other_model": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Waits for the new embedding model."),
        QT_TRANSLATE_NOOP("errors", "Nothing to do. Until all files are done, the model before finds it."),
    ),
    "empty": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file is empty."),
        QT_TRANSLATE_NOOP("errors", "Nothing to do. When it has text, it is read by itself."),
    ),
    "binary": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file does not contain text."),
        QT_TRANSLATE_NOOP("errors", "If it is text, choose its encoding. Otherwise save it as plain text, then try again."),
    ),
    "wrong_encoding": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file is not text in the encoding that was chosen for it."),
        QT_TRANSLATE_NOOP("errors", "Choose another encoding, or let Lamplight find it: “Automatic”, on the command line auto."),
    ),
    "too_large": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file is too large."),
        QT_TRANSLATE_NOOP(
            "errors", "At most 50 MB, or 20 million characters, are read of one file. Split it into smaller files, then add those."
        ),
    ),
    "unreadable": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file cannot be opened."),
        QT_TRANSLATE_NOOP("errors", "Check that you are allowed to read it and that no other program holds it, then try again."),
        "retry",
    ),
    "vanished": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file is gone."),
        QT_TRANSLATE_NOOP("errors", "Put it back and try again, or remove it from the library."),
        "retry",
    ),
    "not_a_file": ErrorText(
        QT_TRANSLATE_NOOP("errors", "This is a link, a pipe or a device, not an ordinary file."),
        QT_TRANSLATE_NOOP("errors", "If it is a link, add the file or folder it leads to. In the others there is nothing to read."),
    ),
    "unsupported": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Files of this kind cannot be read yet."),
        QT_TRANSLATE_NOOP(
            "errors", "If there is text in it, save that as .docx, .pdf, .xlsx or .txt, or unpack the archive, and add what you get."
        ),
    ),
    "no_text": ErrorText(
        QT_TRANSLATE_NOOP("errors", "No text was found in the file."),
        QT_TRANSLATE_NOOP("errors", "Look whether it opens elsewhere, and save its text as .txt or .md."),
    ),
    "no_text_layer": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The PDF file holds pictures of its pages, but no text."),
        QT_TRANSLATE_NOOP("errors", "Have a program for text recognition (OCR) add the text, then add the file it makes."),
    ),
    "needs_password": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file is protected by a password."),
        QT_TRANSLATE_NOOP("errors", "Open it with its password elsewhere and save a copy without one, then add that copy."),
    ),
    "damaged": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file is damaged, or is not what its name says."),
        QT_TRANSLATE_NOOP("errors", "Open it in the program it was made with and save a fresh copy, then add that copy."),
        "retry",
    ),
    "unpacks_too_large": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Unpacked, the file is far larger than a document should be."),
        QT_TRANSLATE_NOOP("errors", "If you trust the file, save its text in several smaller files and add those."),
    ),
    "timed_out": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Reading the file took too long."),
        QT_TRANSLATE_NOOP("errors", "Try again, or split it into smaller files."),
        "retry",
    ),
    "too_much_memory": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Reading the file takes more memory than one file may have."),
        QT_TRANSLATE_NOOP("errors", "Split it into smaller files, then add those."),
        "retry",
    ),
    "embedding_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The embedding model can make nothing of the text of this file."),
        QT_TRANSLATE_NOOP("errors", "Try again. If it stays so, choose another embedding model in the settings."),
        "retry",
    ),
    "reader_unavailable": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The program part that reads files of this kind does not start."),
        QT_TRANSLATE_NOOP("errors", "Close other programs and try again. If it stays so, start Lamplight anew with python3 lamplight.py."),
        "retry",
    ),
    "reader_crashed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The file broke the program part that reads files."),
        QT_TRANSLATE_NOOP("errors", "The other files are not affected. Save a fresh copy of it, then try again."),
        "retry",
    ),
}

NOTES: Mapping[str, ErrorText] = {
    "vectors_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Your files were searched by words only: the search by meaning failed."),
        QT_TRANSLATE_NOOP("errors", "Passages that say it in other words may be missing. Check the embedding model in the settings."),
        "open_settings",
    ),
    "vectors_incomplete": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Another embedding model is taking over, so most of your files were searched by words only."),
        QT_TRANSLATE_NOOP("errors", "The model before cannot be used any more. Wait until all files are indexed by the new one."),
    ),
    "words_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "Your files were searched by meaning only: the search by words failed."),
        QT_TRANSLATE_NOOP("errors", "Exact names and numbers may be missing. Rebuild the index if this stays."),
        "rebuild_index",
    ),
    "search_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "A search in your files failed."),
        QT_TRANSLATE_NOOP("errors", "The answer may lack a part. Ask again; if it fails again, rebuild the index."),
        "retry",
    ),
    "own_knowledge_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "What the model itself knows could not be added."),
        QT_TRANSLATE_NOOP("errors", "Ask again if you want it."),
        "retry",
    ),
    "model_uncalibrated": ErrorText(
        QT_TRANSLATE_NOOP("errors", "This chat model was never calibrated, so in doubt your files are searched."),
        QT_TRANSLATE_NOOP("errors", "Run this once, it takes a few minutes: lamplight models calibrate."),
    ),
    "route_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model could not say how to answer, so your files were searched to be safe."),
        QT_TRANSLATE_NOOP("errors", "Nothing to do."),
    ),
    "decompose_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The question could not be divided, so it was looked up as a whole."),
        QT_TRANSLATE_NOOP("errors", "If the answer lacks a part, ask for that part alone."),
        "new_question",
    ),
    "plan_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model could not say whether to look further, so the next planned lookup was made."),
        QT_TRANSLATE_NOOP("errors", "Nothing to do."),
    ),
    "hop_answer_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model could not read a short answer from the passages, so a later lookup may be missing."),
        QT_TRANSLATE_NOOP("errors", "If the answer lacks a part, ask for that part alone."),
        "new_question",
    ),
    "evaluate_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "It could not be checked whether the passages are enough."),
        QT_TRANSLATE_NOOP("errors", "Compare the answer with its sources."),
    ),
    "propose_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model could not say what else to look up."),
        QT_TRANSLATE_NOOP("errors", "If the answer lacks a part, ask for that part alone."),
        "new_question",
    ),
    "judge_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The finished answer could not be judged."),
        QT_TRANSLATE_NOOP("errors", "Compare the answer with its sources."),
    ),
    "rewrite_failed": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The question was searched as you wrote it, without the conversation before it."),
        QT_TRANSLATE_NOOP("errors", "If the answer misses the point, name everything in the question itself."),
        "new_question",
    ),
    "repetition_stopped": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The model began to repeat itself and was stopped."),
        QT_TRANSLATE_NOOP("errors", "Ask again in other words, or choose a larger model in the settings."),
        "retry",
    ),
    "answer_cut": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The answer was cut off: it reached its greatest length."),
        QT_TRANSLATE_NOOP("errors", "Ask for the rest, or ask a narrower question."),
        "new_question",
    ),
}

LIMITS: Mapping[str, ErrorText] = {
    "max_retrievals": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The search stopped at the greatest number of lookups."),
        QT_TRANSLATE_NOOP("errors", "Ask a narrower question, or allow more lookups in the settings."),
        "open_settings",
    ),
    "model_calls": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The search stopped at the greatest number of model calls."),
        QT_TRANSLATE_NOOP("errors", "Ask a narrower question, or choose a more thorough way to answer in the settings."),
        "open_settings",
    ),
    "tokens": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The search stopped at the greatest amount of text for one question."),
        QT_TRANSLATE_NOOP("errors", "Ask a narrower question, or choose a more thorough way to answer in the settings."),
        "open_settings",
    ),
    "seconds": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The search stopped because its time was up."),
        QT_TRANSLATE_NOOP("errors", "Ask a narrower question, or choose a more thorough way to answer in the settings."),
        "open_settings",
    ),
    "recursion": ErrorText(
        QT_TRANSLATE_NOOP("errors", "The search stopped because it took too many steps."),
        QT_TRANSLATE_NOOP("errors", "Ask a narrower question."),
        "new_question",
    ),
}


def describe(error: LamplightError) -> ErrorText:
    """The words for an error: by its own code, else by the code of its class or the nearest class above it."""
    codes = [error.code, *(kind.__dict__["code"] for kind in type(error).__mro__ if "code" in kind.__dict__)]
    for code in codes:
        if found := ERRORS.get(code) or REASONS.get(code):
            return found
    return UNKNOWN


def reason_text(code: str) -> ErrorText:
    """Why a document was skipped or failed; codes of errors are understood too, as a file can fail for either."""
    return REASONS.get(code) or ERRORS.get(code) or UNKNOWN


def note_text(code: str) -> ErrorText:
    """What a note of an answer means: a part that failed or was left out on the way."""
    return NOTES.get(code) or ERRORS.get(code) or UNKNOWN


def limit_text(code: str) -> ErrorText:
    """Which limit ended a run early."""
    return LIMITS.get(code) or UNKNOWN
