"""Compute from a history who could reach what. Pure: no queries, no clock.

The rules are those of a request (apps/tenants/selectors/grants.py): the roles and the scopes of a person's memberships
add up; a key that acts for a person opens what both its own grants and the person's memberships reach, and nothing
while the person does not hold its role. What a question reaches is what the gate permits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from apps.corpus.kinds import Kind
from apps.intents.access.contracts import Holding
from apps.intents.access.register.contracts import Cell, Change, DocumentFact, Filters, History, Holder, Span, Version
from apps.intents.diff_profile import profile_changes
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission, Role, allows
from apps.tenants.selectors.grants import subtree

EVERYTHING: Final = Filters()
Reaches = tuple[tuple[str, tuple[Kind, ...]], ...]


class _Held(NamedTuple):
    roles: frozenset[Role]
    reached: frozenset[ScopeId]


@dataclass(slots=True)
class Reckoner:
    """Answers about one history, for any instants and filters.

    Costs: the tree below each granted scope is computed once for each number of scopes that there were, so an instant
           costs as much as the holders have grants. A range costs as many instants as the holder's own turns and those
           at which a policy changed what questions reach.
    """

    history: History
    _births: tuple[tuple[datetime, ScopeId], ...] = field(init=False)
    _parents: tuple[tuple[ScopeId, ScopeId | None], ...] = field(init=False)
    _below: dict[ScopeId, frozenset[ScopeId]] = field(init=False, default_factory=dict)
    _born_below: dict[tuple[ScopeId, int], frozenset[ScopeId]] = field(init=False, default_factory=dict)
    _unions: dict[frozenset[frozenset[ScopeId]], frozenset[ScopeId]] = field(init=False, default_factory=dict)
    _turns_by_kind: dict[tuple[str, str], tuple[tuple[datetime, Reaches], ...]] = field(
        init=False, default_factory=dict
    )
    _of_person: dict[UUID, tuple[Holding, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self._births = tuple(sorted((scope.created_at, scope.id) for scope in self.history.scopes))
        self._parents = tuple((scope.id, scope.parent_id) for scope in self.history.scopes)
        self._of_person = {
            holder.subject.id: holder.holdings for holder in self.history.holders if holder.subject.id is not None
        }

    def version_at(self, at: datetime) -> Version | None:
        return next((each for each in self.history.versions if _lasts(each.valid_from, each.valid_to, at)), None)

    def holders(self, filters: Filters) -> Iterator[Holder]:
        for holder in self.history.holders:
            if filters.holder_id in (None, holder.subject.id):
                yield holder

    def cell_at(self, holder: Holder, at: datetime, filters: Filters = EVERYTHING) -> Cell | None:
        """Return what a holder could reach at an instant, within the filters; None if that was nothing."""
        return self._cell(self._held(holder, at), self._reaches_at(at, filters), at, filters)

    def spans(self, holder: Holder, since: datetime, until: datetime, filters: Filters = EVERYTHING) -> list[Span]:
        """Return what a holder could reach from `since` to before `until`, one span for as long as it was the same."""
        found: list[Span] = []
        own = {each for each in self._turns(holder, filters) if since < each < until}
        policies = {at for at, _ in self._policy_turns(filters) if since < at < until}
        instants = sorted({since, *own, *policies})
        held = _Held(frozenset(), frozenset())
        for start, end in zip(instants, [*instants[1:], until], strict=True):
            if start == since or start in own:
                held = self._held(holder, start)
            cell = self._cell(held, self._reaches_at(start, filters), start, filters)
            begun = start
            if found and (found[-1].cell, found[-1].until) == (cell, start):
                begun = found.pop().since or start
            if cell is not None:
                found.append(Span(subject=holder.subject, cell=cell, since=begun, until=end))
        return found

    def change(self, holder: Holder, before: datetime, after: datetime, filters: Filters = EVERYTHING) -> Change | None:
        """Return how a holder's reach differed between two instants; None if it did not."""
        one, other = self.cell_at(holder, before, filters), self.cell_at(holder, after, filters)
        return None if one == other else Change(subject=holder.subject, before=one, after=other)

    def _held(self, holder: Holder, at: datetime) -> _Held:
        """Return the roles that a holder had at an instant, and the scopes that they reached."""
        valid = _valid(holder.holdings, at)
        reached = self._reached(valid, at)
        if acts_for := holder.subject.acts_for:
            bounds = _valid(self._of_person.get(acts_for.id, ()), at)
            held = {bound.role for bound in bounds}
            valid = [each for each in valid if each.role in held]
            reached &= self._reached(bounds, at)
        return _Held(frozenset(each.role for each in valid), reached)

    def _cell(self, held: _Held, reaches: Reaches, at: datetime, filters: Filters) -> Cell | None:
        roles, reached = held
        if not roles or (filters.role and filters.role not in roles):
            return None
        if not allows(roles, Permission.QUESTION_ASK):
            reaches = ()
        scopes = reached if filters.scope_id is None else reached & {filters.scope_id}
        asks = scopes if reaches else frozenset()
        opens = scopes if allows(roles, Permission.DOCUMENT_VIEW) else frozenset()
        if filters.document is not None:
            asks, opens = _of_document(filters.document, at, roles, asks, opens)
        if not asks and not opens:
            return None
        ordered = tuple(role for role in Role if role in roles)
        return Cell(roles=ordered, asks=asks, opens=opens, reaches=reaches if asks else ())

    def _reached(self, valid: Iterable[Holding], at: datetime) -> frozenset[ScopeId]:
        born = bisect_right(self._births, at, key=_time_of)
        parts = frozenset(
            self._subtree(grant.scope_id, born)
            for holding in valid
            for grant in holding.grants
            if _lasts(grant.valid_from, grant.valid_to, at)
        )
        # Many holders have the same grants: one set for all of them is also compared and listed once.
        if parts not in self._unions:
            self._unions[parts] = frozenset[ScopeId]().union(*parts)
        return self._unions[parts]

    def _subtree(self, root: ScopeId, born: int) -> frozenset[ScopeId]:
        """Return the scopes at and below one, of the first `born` that were made."""
        found = self._born_below.get((root, born))
        if found is None:
            found = self._everything_below(root) & {scope for _, scope in self._births[:born]}
            self._born_below[root, born] = found
        return found

    def _everything_below(self, root: ScopeId) -> frozenset[ScopeId]:
        if root not in self._below:
            self._below[root] = subtree([root], self._parents)
        return self._below[root]

    def _reaches_at(self, at: datetime, filters: Filters) -> Reaches:
        turns = self._policy_turns(filters)
        place = bisect_right(turns, at, key=_time_of)
        return turns[place - 1][1] if place else ()

    def _policy_turns(self, filters: Filters) -> tuple[tuple[datetime, Reaches], ...]:
        """Return from when on questions reached what, oldest first: not the versions that changed nothing of it."""
        wanted = filters.document.kind if filters.document else filters.kind
        key = (wanted, filters.kind)
        if key not in self._turns_by_kind:
            self._turns_by_kind[key] = tuple(self._of_versions(filters))
        return self._turns_by_kind[key]

    def _of_versions(self, filters: Filters) -> Iterator[tuple[datetime, Reaches]]:
        last: Reaches = ()
        ended: datetime | None = None
        for version in self.history.versions:
            if ended is not None and ended < version.valid_from and last:
                last = ()
                yield ended, last
            reaches, ended = _reaches(version, filters), version.valid_to
            if reaches != last:
                last = reaches
                yield version.valid_from, last
        if ended is not None and last:
            yield ended, ()

    def _turns(self, holder: Holder, filters: Filters) -> Iterator[datetime]:
        """Yield every instant at which the holder's reach can change, besides those of the policy."""
        acts_for = holder.subject.acts_for
        holdings = [*holder.holdings, *(self._of_person.get(acts_for.id, ()) if acts_for else ())]
        granted: set[ScopeId] = set()
        for holding in holdings:
            yield from _ends(holding.valid_from, holding.valid_to)
            for grant in holding.grants:
                yield from _ends(grant.valid_from, grant.valid_to)
                granted.add(grant.scope_id)
        reached = frozenset[ScopeId]().union(*map(self._everything_below, granted))
        yield from (at for at, scope in self._births if scope in reached)
        if (document := filters.document) is not None:
            yield from _ends(document.received_at, document.published_at)
            if document.gone_at is not None:
                yield document.gone_at
            for start, end in document.restricted:
                yield from _ends(start, end)


def policy_changes(before: Version | None, after: Version | None, kind: str = "") -> list[tuple[str, bool, list[Kind]]]:
    """Return what questions of each intent reach newly (True) or no longer (False), between two versions."""
    sides: list[dict[str, tuple[Kind, ...]]] = [
        {each.name: each.kinds for each in version.reaches} if version else {} for version in (before, after)
    ]
    found: defaultdict[tuple[str, bool], list[Kind]] = defaultdict(list)
    for gained, (here, there) in ((False, (sides[0], sides[1])), (True, (sides[1], sides[0]))):
        for name, kinds in here.items():
            for each in kinds:
                if each not in there.get(name, ()) and kind in ("", each.value):
                    found[name, gained].append(each)
    return [(name, gained, kinds) for (name, gained), kinds in found.items()]


def changed_profile(before: Version | None, after: Version | None) -> list[str]:
    """Return how the compliance profile differs between two versions, in sentences; of no version, it has no rules."""
    names = {rule.name: rule.label for version in (before, after) if version for rule in version.reaches}
    old, new = (version.snapshot.profile if version else () for version in (before, after))
    return [change.sentence for change in profile_changes(old, new, lambda name: names.get(name, name))]


def _valid(holdings: Iterable[Holding], at: datetime) -> list[Holding]:
    return [each for each in holdings if each.is_valid(at)]


def _lasts(since: datetime, until: datetime | None, at: datetime) -> bool:
    return since <= at and (until is None or at < until)


def _time_of(turn: tuple[datetime, Any]) -> datetime:
    return turn[0]


def _ends(*instants: datetime | None) -> Iterator[datetime]:
    yield from (each for each in instants if each is not None)


def _reaches(version: Version, filters: Filters) -> Reaches:
    wanted = filters.document.kind if filters.document else filters.kind
    if filters.document and filters.kind not in ("", wanted):
        return ()
    found = ((each.name, tuple(kind for kind in each.kinds if wanted in ("", kind.value))) for each in version.reaches)
    return tuple((name, kinds) for name, kinds in found if kinds)


def _of_document(
    document: DocumentFact, at: datetime, roles: frozenset[Role], asks: frozenset[ScopeId], opens: frozenset[ScopeId]
) -> tuple[frozenset[ScopeId], frozenset[ScopeId]]:
    if not _lasts(document.received_at, document.gone_at, at):
        return frozenset(), frozenset()
    place = {document.scope_id}
    is_restricted = any(_lasts(start, end, at) for start, end in document.restricted)
    is_published = document.published_at is not None and document.published_at <= at
    # As the database has it (corpus/sql/restrictions.sql): no question finds it, and who decides about it opens it.
    decides = any(allows(roles, each) for each in (Permission.PRIVACY_MANAGE, Permission.PRIVACY_APPROVE))
    return (
        asks & place if is_published and not is_restricted else frozenset(),
        opens & place if decides or not is_restricted else frozenset(),
    )
