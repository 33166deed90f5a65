"""Questions of something longer than one answer: read without a search, or asked within the bounds of the first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from apps.audit.models import Event
from apps.retrieval.contracts import GivenFilters
from apps.retrieval.pipeline import Parting, PipelineResult, ReadResult, answer, read
from apps.retrieval.services.ask import Asked, decided, with_records
from apps.retrieval.services.asking import OnRecorded, begin_asking
from apps.retrieval.services.pinned import Pinned
from apps.retrieval.services.recording import answer_record
from apps.tenants.ids import ScopeId
from apps.tenants.short_scopes import ShortScopes


def ask_within(
    *,
    text: str,
    within: ShortScopes,
    given: GivenFilters,
    pinned: Pinned,
    on_answered: Callable[[Asked], None],
) -> Asked:
    """Answer a question that follows from another one, and record it. No history keeps it.

    Args:    within: who asks, and the scopes to search. Those that are being erased are left out.
             pinned: the first question's intent, and what may be reached at most.
             on_answered: called in the transaction that records the answer. What it raises undoes both.
    Raises:  as `ask`.
    """
    asking = begin_asking(text, within, within.scope_ids, given=given, pinned=pinned)

    def write(result: PipelineResult) -> Event:
        decision, grant = decided(result)
        event = answer_record(
            text,
            result,
            decision,
            grant,
            asking.settings,
            asking.calls.event_ids,
            research_mode=pinned.research_mode,
        )
        on_answered(Asked(text=text, result=result, decision=decision, grant=grant, event=event))
        return event

    result, event = asking.carry_out(answer, write, None, complete=with_records)
    decision, grant = decided(result)
    return Asked(text=text, result=result, decision=decision, grant=grant, event=event)


def read_question(
    *,
    text: str,
    acting: ShortScopes,
    scopes: Sequence[str] | frozenset[ScopeId],
    given: GivenFilters,
    write: Callable[[ReadResult, Sequence[ScopeId]], Event],
    on_recorded: OnRecorded | None = None,
    part: Parting | None = None,
) -> Event:
    """Read what a question may reach and is about, without searching, and record what `write` makes of it.

    In which mode it is researched is still to be chosen: `write` holds it against the profile.

    Args:    scopes: the keys of scopes, with all below them, or the ids of all that are meant.
             part: parts the question, to have each part classified, too; it reads nothing but what it is given.
             write: called in the transaction that records it, with what was read and the scopes of the question.
    Raises:  as `ask`, and whatever `write` raises.
    """
    asking = begin_asking(text, acting, scopes, given=given, research_mode=None)
    _, event = asking.carry_out(
        partial(read, part=part), lambda result: write(result, asking.question.scope_ids), on_recorded
    )
    return event
