"""Compute from a history who could reach what. Pure: no queries, no clock.

The rules are those of a request (apps/tenants/selectors/grants.py): the roles and the scopes of a person's memberships
add up; a key that acts for a person opens what both its own grants and the person's memberships reach, and nothing
while the person does not hold its role. What a question reaches is what the gate permits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.corpus.kinds import Kind
from apps.intents.access.contracts import Holding
from apps.intents.access.register.contracts import Cell, Change, DocumentFact, Filters, History, Holder, Span, Version
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission, Role, allows
from apps.tenants.selectors.grants import subtree

EVERYTHING: Final = Filters()
Reaches = tuple[tuple[str, tuple[Kind, ...]], ...]


@dataclass(slots=True)
class Reckoner:
    """Answers about one history, for any instants and filters.

    Costs: the tree below each granted scope is computed once, so an instant costs as much as the holders have grants.
    """

    history: History
    _births: dict[ScopeId, datetime] = field(init=False)
    _below: dict[ScopeId, frozenset[ScopeId]] = field(init=False, default_factory=dict)
    _of_person: dict[UUID, tuple[Holding, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self._births = {scope.id: scope.created_at for scope in self.history.scopes}
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
        valid = _valid(holder.holdings, at)
        reached = self._reached(valid, at)
        if acts_for := holder.subject.acts_for:
            bounds = _valid(self._of_person.get(acts_for.id, ()), at)
            valid = [each for each in valid if each.role in {bound.role for bound in bounds}]
            reached &= self._reached(bounds, at)
        roles = {each.role for each in valid}
        version = self.version_at(at)
        if not roles or (filters.role and filters.role not in roles):
            return None
        reaches: Reaches = ()
        if version is not None and allows(roles, Permission.QUESTION_ASK):
            reaches = _reaches(version, filters)
        scopes = frozenset(reached if filters.scope_id is None else reached & {filters.scope_id})
        asks = scopes if reaches else frozenset()
        opens = scopes if allows(roles, Permission.DOCUMENT_VIEW) else frozenset()
        if filters.document is not None:
            asks, opens = _of_document(filters.document, at, roles, asks, opens)
        if not asks and not opens:
            return None
        ordered = tuple(role for role in Role if role in roles)
        return Cell(roles=ordered, asks=asks, opens=opens, reaches=reaches if asks else ())

    def spans(self, holder: Holder, since: datetime, until: datetime, filters: Filters = EVERYTHING) -> list[Span]:
        """Return what a holder could reach from `since` to before `until`, one span for as long as it was the same."""
        found: list[Span] = []
        instants = sorted({since, *(each for each in self._turns(holder, filters) if since < each < until)})
        for start, end in zip(instants, [*instants[1:], until], strict=True):
            cell = self.cell_at(holder, start, filters)
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

    def _reached(self, valid: Iterable[Holding], at: datetime) -> frozenset[ScopeId]:
        reached: set[ScopeId] = set()
        for holding in valid:
            for grant in holding.grants:
                if _lasts(grant.valid_from, grant.valid_to, at):
                    reached |= self._subtree(grant.scope_id)
        return frozenset(scope for scope in reached if scope in self._births and self._births[scope] <= at)

    def _subtree(self, root: ScopeId) -> frozenset[ScopeId]:
        if root not in self._below:
            self._below[root] = subtree([root], ((scope.id, scope.parent_id) for scope in self.history.scopes))
        return self._below[root]

    def _turns(self, holder: Holder, filters: Filters) -> Iterator[datetime]:
        """Yield every instant at which the holder's reach can change."""
        acts_for = holder.subject.acts_for
        holdings = [*holder.holdings, *(self._of_person.get(acts_for.id, ()) if acts_for else ())]
        granted: set[ScopeId] = set()
        for holding in holdings:
            yield from _ends(holding.valid_from, holding.valid_to)
            for grant in holding.grants:
                yield from _ends(grant.valid_from, grant.valid_to)
                granted |= self._subtree(grant.scope_id)
        yield from (self._births[scope] for scope in granted if scope in self._births)
        for version in self.history.versions:
            yield from _ends(version.valid_from, version.valid_to)
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


def _valid(holdings: Iterable[Holding], at: datetime) -> list[Holding]:
    return [each for each in holdings if each.is_valid(at)]


def _lasts(since: datetime, until: datetime | None, at: datetime) -> bool:
    return since <= at and (until is None or at < until)


def _ends(*instants: datetime | None) -> Iterator[datetime]:
    yield from (each for each in instants if each is not None)


def _reaches(version: Version, filters: Filters) -> Reaches:
    wanted = filters.document.kind if filters.document else filters.kind
    if filters.document and filters.kind not in ("", wanted):
        return ()
    found = ((each.name, tuple(kind for kind in each.kinds if wanted in ("", kind.value))) for each in version.reaches)
    return tuple((name, kinds) for name, kinds in found if kinds)


def _of_document(
    document: DocumentFact, at: datetime, roles: set[Role], asks: frozenset[ScopeId], opens: frozenset[ScopeId]
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
