"""Errors of research, with what to do about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class RunError(CodedError):
    """Research can't be begun, changed or shown."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "research.run_unknown": (404, "You have no research of this id. Yours is listed under /api/v1/research/runs/."),
        "research.scope_lost": (
            403,
            "You lost a scope that this research was asked in, and its plan names what lies there. Start it as it is, "
            "or ask again.",
        ),
        "research.needs_a_person": (
            422,
            "Research belongs to a person. Sign in, or use a key that acts for you, and not one of the tenant.",
        ),
        "research.off_topic": (
            422,
            "The question is about nothing that this firm's policy knows. You can ask about: {topics}.",
        ),
        "research.nothing_permitted": (
            422,
            "The policy permits no kind of document for this question ({intent}). You can ask about: {topics}.",
        ),
        "research.nothing_held": (
            422,
            "No document is held that this question may reach ({intent}). Choose other scopes or filters, or ask about "
            "something else: {topics}.",
        ),
        "research.refused": (422, "{reason}"),
        "research.mode_not_permitted": (
            422,
            "By the firm's {rule}, questions of this intent ({intent}) are not researched in the mode {mode}. "
            "Permitted: {modes}. {reason}",
        ),
        "research.too_many_runs": (
            429,
            "{limit} runs of this tenant wait or run already. Wait until one has ended, or cancel one.",
        ),
        "research.too_many_own_runs": (
            429,
            "{limit} of your own are planned, wait or run already. Start or cancel one, or wait until one has ended.",
        ),
        "research.not_planned": (409, "This research was started already, so its plan does not change any more."),
        "research.has_ended": (409, "This research has ended."),
        "research.texts_gone": (
            410,
            "The texts of this research are not there any more: the policy keeps none for its intent, and they were "
            "held for 15 minutes after the last step. Ask again.",
        ),
        "research.plan_unknown_part": (422, "The plan has no part {key}. A plan can be narrowed, and not be extended."),
        "research.plan_empty": (422, "Leave at least one question in the plan."),
        "research.plan_changed_meanwhile": (
            409,
            "The plan was changed or started meanwhile, so nothing was changed. Read it, and change it again.",
        ),
        "research.plan_other_intent": (
            422,
            "This wording is a question of another intent ({other}) than the one that was asked ({intent}). Ask it by "
            "itself.",
        ),
        "research.plan_refused": (422, "This wording can't be asked: {reason}"),
        "research.result_missing": (409, "This research has no answer to export. Its state is: {state}."),
        "research.too_many_streams": (
            429,
            "{limit} streams of events are open for this tenant. Close one, or read the run without a stream.",
        ),
        "research.streams_full": (
            429,
            "As many streams of events are open as this server has places for. Read the run without a stream, or try "
            "again in a minute.",
        ),
        "research.bad_event_id": (400, "This is no id of an event: {id}. It has the form 3.1."),
    }


class StopError(ApplicationError):
    """What ends a run before its answer is written. Data: state, reason: both codes, for the run's row."""

    code = "research.stopped"
    status = 409
    message = "The research ends as {state}: {reason}."


class DoorError(CodedError):
    """What is wrong with a request that came through one of the doors for other programs."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "research.model_unknown": (
            404,
            "There is no model {model}. Use glassbox, or glassbox/ and the key of a scope that you hold. GET "
            "/v1/models lists them.",
        ),
    }


class ClaimCheckError(CodedError):
    """A text can't be checked; nothing was read."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "research.claims_empty": (422, "The text is empty. Send the draft, release or letter that you want checked."),
        "research.claims_too_long": (
            413,
            "The text has {length_chars} characters; at most {maximum_chars} are checked. Send it in parts.",
        ),
        "research.claims_too_many_sentences": (
            413,
            "The text has {sentences} sentences; at most {maximum} are checked. Send it in parts.",
        ),
        "research.claims_long_sentence": (
            413,
            "A sentence of the text has {length_chars} characters; at most {maximum_chars} are read as one. End it "
            "with a full stop or a line break, or leave it out.",
        ),
        "research.claims_outdated": (
            409,
            "The policy or the documents changed faster than the text could be checked. Check it again.",
        ),
    }
