"""Errors that say why a recorded question is not run again, worded for the auditor."""

from __future__ import annotations

from apps.errors import ApplicationError


class NotReplayableError(ApplicationError):
    """Something that the replay needs is no longer in the record, or never was."""

    code = "retrieval.not_replayable"
    status = 409
    message = "This question can't be run again: {why}."


class DifferentQuestionError(ApplicationError):
    """The typed text has another digest than the recorded question."""

    code = "retrieval.replay_other_question"
    status = 422
    message = (
        "This is not the question that was asked: its digest differs. Every character counts, including blanks "
        "and capitals. Your attempt is recorded, but not what you typed."
    )


class TooManyGuessesError(ApplicationError):
    """The user typed too many texts that did not match. Guessing would recover the text that was not kept."""

    code = "retrieval.replay_too_many_guesses"
    status = 429
    message = (
        "You typed {count} texts within an hour that were not the recorded questions. This page is not for "
        "guessing: wait an hour, or get the question's wording from whoever asked it."
    )
