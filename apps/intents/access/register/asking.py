"""Ask who could reach what: check who asks, resolve whom and what the question names, and record the question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from apps.audit.services import record
from apps.corpus.kinds import Kind
from apps.intents.access.ask import subject_named
from apps.intents.access.contracts import Candidate, ScopeName, Subject
from apps.intents.access.facts import api_key
from apps.intents.access.register.contracts import (
    Change,
    DocumentFact,
    Filters,
    History,
    Mode,
    Question,
    Span,
    Version,
)
from apps.intents.access.register.documents import document_named
from apps.intents.access.register.kinds import kind_named
from apps.intents.access.register.reading import history_read
from apps.intents.access.register.reckoning import Reckoner, changed_profile, policy_changes
from apps.intents.access.words import instant
from apps.intents.errors import NameNotKnownError, RegisterQuestionError
from apps.intents.events import ACCESS_LISTED
from apps.tenants.context import current_scope
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission, Role


class Form(StrEnum):
    """How the answer was handed out, for the record."""

    PAGE = "page"
    PRINT = "print"
    CSV = "csv"
    JSON = "json"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it is typed. user: a name as people write it, also of a key; key: a prefix without its gbx_.

    until: the end of a range, or the later instant of a comparison. scope: its key. kind: its key, or the firm's
    name of it. document: an id, or a title.
    """

    mode: Mode = Mode.AT
    since: datetime | None = None
    until: datetime | None = None
    user: str = ""
    key: str = ""
    role: Role | None = None
    scope: str = ""
    kind: str = ""
    document: str = ""


@dataclass(frozen=True, kw_only=True)
class Register:
    """The answer. subject: whom the question was narrowed to. spans: for AT and RANGE; changes: for CHANGES."""

    question: Question
    history: History
    subject: Subject | None
    scope: ScopeName | None
    spans: tuple[Span, ...]
    changes: tuple[Change, ...]

    @property
    def document(self) -> DocumentFact | None:
        return self.question.filters.document

    @property
    def rows(self) -> int:
        return len(self.spans) + len(self.changes)

    @cached_property
    def versions(self) -> tuple[Version, ...]:
        """Return the policy versions that were in force at the instants of the question, or during its range."""
        return _versions(self.history, self.question.mode, self.question.since, self.question.until)

    @cached_property
    def policy_changes(self) -> tuple[tuple[str, bool, list[Kind]], ...]:
        """Return what the policy itself changed between the two instants of a comparison."""
        wanted = self.document.kind if self.document else self.question.filters.kind
        return tuple(policy_changes(*sides, wanted)) if (sides := self._sides) else ()

    @cached_property
    def profile_changes(self) -> tuple[str, ...]:
        """Return how the compliance profile differs between the two instants of a comparison, in sentences."""
        return tuple(changed_profile(*sides)) if (sides := self._sides) else ()

    @property
    def _sides(self) -> tuple[Version | None, Version | None] | None:
        """Return the versions in force at the two instants of a comparison; None for another question."""
        if self.question.mode is not Mode.CHANGES or self.question.until is None:
            return None
        reckoner = Reckoner(self.history)
        return reckoner.version_at(self.question.since), reckoner.version_at(self.question.until)


def register_ask(asked: Asked, *, form: Form) -> Register:
    """Answer who could reach what, from the history of the open tenant. The question is recorded.

    Raises:  PermissionDeniedError: the principal may not read the audit log.
             AmbiguousNameError, NameNotKnownError, AmbiguousDocumentError, RegisterQuestionError: the question names
                 nobody and nothing for certain, so nothing is stated.
    Costs:   see history_read; three queries more for a name, three for a document.
    """
    current_scope().principal.require(Permission.AUDIT_VIEW)
    history = history_read()
    since, until = _times(asked, history)
    subject = _subject(asked, at=since)
    document = document_named(asked.document) if asked.document.strip() else None
    scope = _scope(asked.scope, history)
    kind = kind_named(asked.kind, _versions(history, asked.mode, since, until))
    question = Question(
        mode=asked.mode,
        since=since,
        until=until,
        filters=Filters(
            holder_id=subject.id if subject else None,
            role=asked.role,
            scope_id=scope.id if scope else None,
            kind=kind,
            document=document,
        ),
    )
    reckoner = Reckoner(history)
    register = Register(
        question=question,
        history=history,
        subject=subject,
        scope=scope,
        spans=tuple(_spans(reckoner, question)),
        changes=tuple(_changes(reckoner, question)),
    )
    _record(register, form)
    return register


def _times(asked: Asked, history: History) -> tuple[datetime, datetime | None]:
    since = asked.since or history.read_at
    until = asked.until if asked.mode is not Mode.AT else None
    if asked.mode is not Mode.AT and until is None:
        raise RegisterQuestionError("intents.register_end_missing", field="until")
    for name, at in (("since", since), ("until", until)):
        if at is not None and at > history.read_at:
            raise RegisterQuestionError("intents.register_in_the_future", field=name)
    created_at = history.tenant.created_at
    if (until or since) < created_at or (asked.mode is not Mode.RANGE and since < created_at):
        raise RegisterQuestionError("intents.register_before_the_tenant", field="since", created_at=instant(created_at))
    if until is not None and until <= since:
        raise RegisterQuestionError("intents.register_reversed", field="until")
    return since, until


def _subject(asked: Asked, *, at: datetime) -> Subject | None:
    if asked.key:
        subject, _ = api_key(prefix=asked.key)
        candidates: tuple[Candidate, ...] = ()
    elif asked.user.strip():
        (subject, _), candidates = subject_named(asked.user, at=at)
    else:
        return None
    if subject.id is None:
        raise NameNotKnownError(candidates=candidates)
    return subject


def _scope(key: str, history: History) -> ScopeName | None:
    if not key:
        return None
    found = next((scope for scope in history.names.values() if scope.key == key), None)
    if found is None:
        raise RegisterQuestionError("intents.register_unknown_scope", field="scope")
    return found


def _versions(history: History, mode: Mode, since: datetime, until: datetime | None) -> tuple[Version, ...]:
    if mode is Mode.RANGE and until is not None:
        return tuple(
            each
            for each in history.versions
            if each.valid_from < until and (each.valid_to is None or each.valid_to > since)
        )
    reckoner = Reckoner(history)
    found = [reckoner.version_at(at) for at in (since, until) if at is not None]
    return tuple(dict.fromkeys(each for each in found if each is not None))


def _spans(reckoner: Reckoner, question: Question) -> Iterator[Span]:
    filters = question.filters
    if question.mode is Mode.CHANGES:
        return
    for holder in reckoner.holders(filters):
        if question.mode is Mode.RANGE and question.until is not None:
            yield from reckoner.spans(holder, question.since, question.until, filters)
        elif (cell := reckoner.cell_at(holder, question.since, filters)) is not None:
            yield Span(subject=holder.subject, cell=cell)


def _changes(reckoner: Reckoner, question: Question) -> Iterator[Change]:
    if question.mode is not Mode.CHANGES or question.until is None:
        return
    for holder in reckoner.holders(question.filters):
        change = reckoner.change(holder, question.since, question.until, question.filters)
        if change is not None:
            yield change


def _record(register: Register, form: Form) -> None:
    question, subject = register.question, register.subject
    filters, is_person = question.filters, subject is not None and subject.kind is PrincipalKind.USER
    known = str(subject.id) if subject is not None else None
    record(
        action=ACCESS_LISTED,
        # Ids and codes; never the words that were typed.
        core={
            "mode": question.mode.value,
            "since": question.since.isoformat(),
            "until": question.until.isoformat() if question.until else None,
            "user_id": known if is_person else None,
            "api_key_id": None if is_person else known,
            "role": filters.role.value if filters.role else None,
            "document_id": str(filters.document.id) if filters.document else None,
            "kind": filters.kind,
            "scope_id": str(filters.scope_id) if filters.scope_id else None,
            "policy_versions": [each.snapshot.number for each in register.versions],
            "rows": register.rows,
            "format": form.value,
            "log_size": register.history.log_size,
            "log_root": register.history.log_root,
        },
    )
