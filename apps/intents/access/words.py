"""The answer as one sentence that can be quoted, with notes on what the facts do not show. Times are in UTC."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from apps.corpus.kinds import Kind
from apps.intents.access.contracts import AccessAnswer, AccessFacts, ActsFor, Holding, IntentReach, Through, Verdict
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import VersionOrigin
from apps.intents.profile_words import profile_notes
from apps.tenants.principals import PrincipalKind

_NAMED_SCOPES = 8
_NAMED_HOLDINGS = 4
_ABOUT_A_SUBJECT = frozenset(Verdict) - {Verdict.IN_THE_FUTURE, Verdict.BEFORE_THE_TENANT, Verdict.NOT_KNOWN}


def sentence(answer: AccessAnswer, holdings: Sequence[Holding]) -> str:
    """Return the answer as one sentence.

    Args: holdings: everything that the subject ever held, for the answer that none of it was valid.
    """
    on = f"On {instant(answer.at)}"
    tenant = answer.tenant.name
    who = _who(answer)
    match answer.verdict:
        case Verdict.IN_THE_FUTURE:
            return (
                f"{on} is in the future. What can be reached then may still change, so there are no facts to answer it."
            )
        case Verdict.BEFORE_THE_TENANT:
            created = instant(answer.tenant.created_at)
            return f"{on} nobody could reach anything in {tenant}, which was created on {created}."
        case Verdict.NOT_KNOWN:
            return f"{_nobody(answer)}, so there is no answer."
        case Verdict.NOT_VALID:
            return f"{on}, {who} could reach nothing in {tenant}: {_what_was_held(answer, holdings)}."
        case Verdict.NO_POLICY:
            return f"{on}, {who} could reach nothing in {tenant}: no policy was in force."
        case _:
            return f"{on}, {who}, {_roles(answer)}, could reach {_what(answer, _version(answer.policy))}."


def instant(at: datetime) -> str:
    """Return a time such as "31 January 2026 at 12:00 UTC", with seconds unless they are zero."""
    utc = at.astimezone(UTC)
    clock = f"{utc:%H:%M:%S}" if utc.second or utc.microsecond else f"{utc:%H:%M}"
    return f"{utc.day} {utc:%B} {utc.year} at {clock} UTC"


def validity(valid_from: datetime, valid_to: datetime | None) -> str:
    start = instant(valid_from)
    return f"since {start}" if valid_to is None else f"from {start} until {instant(valid_to)}"


def listed(words: Iterable[str]) -> str:
    """Return the words as a list such as "a, b and c"."""
    every = list(words)
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


def notes(facts: AccessFacts, verdict: Verdict) -> tuple[str, ...]:
    """Return what the stored facts do not show, one sentence each, so that an answer does not look too certain."""
    said = []
    if verdict in _ABOUT_A_SUBJECT:
        person = facts.subject.kind is PrincipalKind.USER
        acts_for = facts.subject.acts_for
        account = "a deactivation of the account and " if person or acts_for else ""
        said.append(
            f"No dates are kept for {account}a suspension of the tenant, so it is not considered. While it lasted, "
            "nothing could be reached."
        )
        if acts_for:
            said.append(
                f"The key acts for {_named(acts_for)}: it could reach only what both its own scopes and the "
                f"memberships of {acts_for.name} gave at that time, and nothing without a membership with its role."
            )
        if not person:
            said.append("For a key's expiry only the current date is kept; rotating a key moves it forward.")
        said.append(
            "The rights of roles and the names of people and scopes are those of today. A request that had already "
            "begun could use an ended right for up to a minute more."
        )
    if verdict is Verdict.COULD_REACH and facts.policy is not None and facts.policy.profile:
        said.extend(profile_notes(facts.policy.profile))
    if facts.subject.deactivated:
        said.append("The account is deactivated today; the date of that is not kept.")
    if facts.tenant.suspended:
        said.append("The tenant is suspended today; the date of that is not kept.")
    return tuple(said)


def _who(answer: AccessAnswer) -> str:
    subject = answer.subject
    name = subject.name if subject.label == subject.name else f"{subject.label} ({subject.name})"
    if subject.kind is PrincipalKind.USER:
        return name
    return f"the API key {name}" + (f", which acts for {_named(subject.acts_for)}" if subject.acts_for else "")


def _named(person: ActsFor) -> str:
    return person.name if person.label == person.name else f"{person.label} ({person.name})"


def _nobody(answer: AccessAnswer) -> str:
    name = answer.subject.name
    if "@" in name:
        # Not "has": an account's address can't be read, and may be written with other capitals.
        return f"No member of {answer.tenant.name}, past or present, is found by the address “{name}”"
    if answer.subject.kind is PrincipalKind.USER:
        return f"No member of {answer.tenant.name}, past or present, has the name “{name}”"
    return f"No API key of {answer.tenant.name} has the prefix “{name}”"


def _held(holding: Holding) -> str:
    return f"{holding.role.label} {validity(holding.valid_from, holding.valid_to)}"


def _roles(answer: AccessAnswer) -> str:
    return f"as {listed(_held(each.holding) for each in answer.granted_by)}"


def _what_was_held(answer: AccessAnswer, holdings: Sequence[Holding]) -> str:
    if holdings[0].is_valid(answer.at) and (person := answer.subject.acts_for):
        return f"{person.name} did not hold the key's role {holdings[0].role.label} then"
    if holdings[0].through is Through.API_KEY:
        return f"the key was not valid then, but {validity(holdings[0].valid_from, holdings[0].valid_to)}"
    named = [_held(each) for each in holdings[:_NAMED_HOLDINGS]]
    more = len(holdings) - len(named)
    if more:
        named.append(f"{more} more {'time' if more == 1 else 'times'}")
    return f"no membership was valid then, only as {listed(named)}"


def _what(answer: AccessAnswer, version: str) -> str:
    tenant = answer.tenant.name
    match answer.verdict:
        case Verdict.MAY_NOT_ASK:
            several = len({each.holding.role for each in answer.granted_by}) > 1
            why = "those roles do not allow questions" if several else "that role does not allow questions"
            return f"nothing in {tenant} because {why}, while {version}"
        case Verdict.NO_SCOPE:
            return f"nothing in {tenant} because no scope was granted, while {version}"
        case Verdict.UNKNOWN_INTENT:
            return f"nothing by an intent “{answer.intent}” because there was none of that name while {version}"
        case _:
            return f"in {tenant}, within {_scopes(answer)}, {_reaches(answer)}, while {version}"


def _reaches(answer: AccessAnswer) -> str:
    reaches = [f"{_kinds(each.kinds)} with {_question(each)}" for each in answer.intents]
    return "; ".join([*reaches[:-1], f"and {reaches[-1]}"] if len(reaches) > 1 else reaches)


def _question(reach: IntentReach) -> str:
    return f"a question of the intent {reach.label}" if reach.recognised else "an unrecognised question"


def _kinds(kinds: Sequence[Kind]) -> str:
    if not kinds:
        return "no kind of document"
    return f"the kind{'s' if len(kinds) > 1 else ''} {listed(kind.label for kind in kinds)}"


def _scopes(answer: AccessAnswer) -> str:
    named = [scope.key for scope in answer.scopes[:_NAMED_SCOPES]]
    more = len(answer.scopes) - len(named)
    if more:
        named.append(f"{more} more that are listed with this answer")
    if answer.hidden_scopes:
        more_word = "more " if named else ""
        named.append(f"{answer.hidden_scopes} {more_word}that you may not see")
    plural = len(answer.scopes) + answer.hidden_scopes > 1
    return f"the scope{'s' if plural else ''} {listed(named)}"


def _version(policy: PolicySnapshot | None) -> str:
    if policy is None or policy.valid_from is None:
        raise ValueError("an answer about intents has a policy that was in force")
    author = policy.author_label or "an unknown author"
    approver = f"approved by {policy.approver_label}" if policy.approver_label else "approved by nobody"
    if policy.origin == VersionOrigin.BASELINE:
        approver = "the shipped baseline, which needs no approval"
    life = validity(policy.valid_from, policy.valid_to)
    return f"policy version {policy.number} was in force ({life}; written by {author}; {approver})"
