"""The answer in words: one sentence to quote, and what the facts do not show. Times are in UTC."""

from __future__ import annotations

from collections.abc import Iterable

from apps.intents.access.contracts import Subject
from apps.intents.access.register.asking import Register
from apps.intents.access.register.contracts import Cell, Mode
from apps.intents.access.words import instant, listed
from apps.intents.profile_words import profile_notes
from apps.tenants.ids import ScopeId
from apps.tenants.principals import PrincipalKind


def summary(register: Register) -> str:
    """Return the answer as one sentence."""
    question, spans, what = register.question, register.spans, _what(register)
    if question.mode is Mode.CHANGES:
        between = f"Between {instant(question.since)} and {_end(register)}"
        return f"{between}, {_changed(register, what)}. {_policies(register)}{_profile(register)}"
    when = f"On {instant(question.since)}"
    if question.mode is Mode.RANGE:
        when = f"From {instant(question.since)} until {_end(register)}"
    if register.subject is not None:
        return f"{when}, {_of_one(register, called(register.subject), what)}. {_policies(register)}"
    if not spans:
        return f"{when}, nobody could reach {what}. {_policies(register)}"
    asking = counted([span.subject for span in spans if span.cell.asks])
    opening = counted([span.subject for span in spans if span.cell.opens])
    everybody = counted([span.subject for span in spans])
    ways = f"{asking} by questions, and {opening} by opening a document's page"
    return f"{when}, {everybody} could reach {what}: {ways}. {_policies(register)}"


def notes(register: Register) -> tuple[str, ...]:
    """Return what the stored facts do not show, one sentence each, so that an answer does not look too certain."""
    said = [
        "It is computed from memberships, grants, keys, scopes and policy versions, which are kept with their times, "
        "and, for one document, from its row and the log. The rights of roles and the names are those of today.",
        "No dates are kept for a deactivation of an account and a suspension of the tenant, so they are not "
        "considered. For a key's expiry only the current date is kept.",
        "A question reaches only the kinds of its intent. A person who may open documents reads each one in their "
        "scopes, whatever its kind.",
    ]
    for version in register.versions:
        number = f"Policy version {version.snapshot.number}"
        said.extend(f"{number}: {note}" for note in profile_notes(version.snapshot.profile))
    # Whole sets first: a list of many lines has few different ones.
    different = {scopes for cell in _cells(register) for scopes in (cell.asks, cell.opens)}
    hidden = frozenset[ScopeId]().union(*different) - register.history.names.keys()
    if hidden:
        said.append(
            f"{len(hidden)} of the scopes that could be reached you may not see. They are counted and not named."
        )
    if register.history.forgotten:
        said.append(
            f"The log records {register.history.forgotten} memberships whose rows are gone, since their persons were "
            "erased. They are not in this answer."
        )
    if (document := register.document) is not None:
        if document.superseded_at:
            said.append(
                f"A newer version replaced this document on {instant(document.superseded_at)}. From then on only "
                "questions as of an earlier date found it."
            )
        if document.restricted:
            said.append(
                "While the document was restricted, no question found it, and only those who manage or approve privacy "
                "could open it. The periods are those of the log."
            )
        if not document.is_there and document.gone_at is None and not document.restricted:
            said.append(
                "The document is no longer there, or hidden from you, and the log does not say since when. Until now "
                "it counts as if it were there."
            )
    return tuple(said)


def counted(subjects: Iterable[Subject]) -> str:
    """Return how many people and keys there are, such as "3 people and 1 API key"."""
    different = {(subject.kind, subject.id) for subject in subjects}
    keys = sum(1 for kind, _ in different if kind is PrincipalKind.API_KEY)
    people = len(different) - keys
    said = [
        *([f"{people} {'person' if people == 1 else 'people'}"] if people else []),
        *([f"{keys} API key{'' if keys == 1 else 's'}"] if keys else []),
    ]
    return listed(said) if said else "nobody"


def called(subject: Subject) -> str:
    """Return whom a row is about, such as "Maria Lindqvist (mlind)"."""
    name = subject.name if subject.label == subject.name else f"{subject.label} ({subject.name})"
    if subject.kind is PrincipalKind.API_KEY and subject.acts_for is not None:
        return f"{name}, acting for {subject.acts_for.name}"
    return name


def _cells(register: Register) -> Iterable[Cell]:
    yield from (span.cell for span in register.spans)
    for change in register.changes:
        yield from (cell for cell in (change.before, change.after) if cell is not None)


def _end(register: Register) -> str:
    return instant(register.question.until) if register.question.until else ""


def _what(register: Register) -> str:
    filters, tenant = register.question.filters, register.history.tenant.name
    if (document := register.document) is not None:
        what = f"the document “{document.title}”" if document.title else f"the document {document.id}"
    elif filters.kind:
        what = f"documents of the kind {_kind(register)}"
    else:
        what = "documents"
    where = f"{tenant}, in the scope {register.scope.key}" if register.scope else tenant
    role = f" as {filters.role.label}" if filters.role else ""
    return f"{what} of {where}{role}"


def _of_one(register: Register, name: str, what: str) -> str:
    """Return what one person or key could reach, without the time."""
    cells = [span.cell for span in register.spans]
    ways = [
        *(["by questions"] if any(cell.asks for cell in cells) else []),
        *(["by opening a document's page"] if any(cell.opens for cell in cells) else []),
    ]
    if not ways:
        return f"{name} could not reach {what}"
    some = " for all or some of that time" if register.question.mode is Mode.RANGE else ""
    return f"{name} could reach {what} {listed(ways)}{some}"


def _changed(register: Register, what: str) -> str:
    if register.subject is not None:
        whose = f"what {called(register.subject)} could reach of {what}"
        return f"{whose} differed" if register.changes else f"{whose} did not differ"
    whom = counted([change.subject for change in register.changes])
    return f"what {whom} could reach of {what} differed" if register.changes else f"nobody's reach of {what} differed"


def _profile(register: Register) -> str:
    """Return that the compliance profile alone, or it too, differed between two instants; empty where it did not."""
    if not (count := len(register.profile_changes)):
        return ""
    ways = "1 way that is" if count == 1 else f"{count} ways that are"
    return f" What the compliance profile lets be asked and answered differed in {ways} listed with this answer."


def _kind(register: Register) -> str:
    wanted = register.question.filters.kind
    kinds = (kind for version in reversed(register.versions) for kind in version.snapshot.kinds)
    return next((kind.label for kind in kinds if kind.value == wanted), wanted)


def _policies(register: Register) -> str:
    numbers = [str(version.snapshot.number) for version in register.versions]
    if not numbers:
        return "No policy was in force, so no question reached anything."
    plural = len(numbers) > 1
    return f"Policy version{'s' if plural else ''} {listed(numbers)} {'were' if plural else 'was'} in force."
