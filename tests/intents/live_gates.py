"""What the real gates answer now: the selectors of a request, the policy in force, the rows that a person sees, and the
search itself. For tests of what the access centre says of that moment later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.utils import timezone

from apps.corpus.models import Document
from apps.intents.access.register.contracts import Cell
from apps.intents.contracts import UNRECOGNISED, IntentDecision, PolicySnapshot
from apps.intents.gate import gate
from apps.intents.selectors import policy_in_force
from apps.retrieval.contracts import SearchBounds, SearchQuery
from apps.retrieval.retrievers.sparse import SparseRetriever
from apps.tenants.context import open_scope
from apps.tenants.errors import InvalidKeyError, UnknownTenantError
from apps.tenants.ids import ScopeId
from apps.tenants.models import User
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.grants import key_principal, user_principal
from apps.tenants.services.api_keys import api_key_authenticate
from tests.factories import Firm, as_
from tests.retrieval.stored import weighted

WORD = "drawdown"
"""Stands in every document of such a test, so that a search finds all that it may."""


class Reach(NamedTuple):
    """What somebody meets: the scopes that they ask and open, and the kinds that their questions reach by intent."""

    asks: frozenset[UUID] = frozenset()
    opens: frozenset[UUID] = frozenset()
    kinds: tuple[tuple[str, tuple[str, ...]], ...] = ()


NOTHING = Reach()


class Met(NamedTuple):
    """What everybody met between two instants; of documents, those whom a question or a page led to them."""

    at: datetime
    reach: Mapping[str, Reach]
    found: Mapping[UUID, frozenset[str]]
    opened: Mapping[UUID, frozenset[str]]


@dataclass(kw_only=True)
class Gates:
    """Whom to ask for, and of which documents. documents: with the instant at which each became the current version.

    keys: by id, as a client sends them.
    """

    firm: Firm
    users: list[str] = field(default_factory=list)
    keys: dict[UUID, str] = field(default_factory=dict)
    documents: dict[UUID, datetime | None] = field(default_factory=dict)

    def answer(self) -> Met:
        """Ask all gates for everybody. Returns: what they answered, from the instant before the first was asked."""
        at = timezone.now()
        with open_scope(tenant=self.firm.id, reason="a test"):
            kinds = kinds_by_intent(policy_in_force())
            for row in Document.objects.filter(id__in=self.documents, valid_from__isnull=False):
                self.documents[row.id] = row.valid_from
        reach: dict[str, Reach] = {}
        found: dict[UUID, set[str]] = {id: set() for id in self.documents}
        opened: dict[UUID, set[str]] = {id: set() for id in self.documents}
        for name, principal in self._holders():
            scopes = frozenset(UUID(str(each)) for each in principal.scope_ids)
            asks = scopes if principal.may(Permission.QUESTION_ASK) else frozenset()
            opens = scopes if principal.may(Permission.DOCUMENT_VIEW) else frozenset()
            if asks or opens:
                reach[name] = Reach(asks, opens, kinds if asks else ())
            with as_(principal):
                for id in self._found_by(principal, {kind for _, each in kinds for kind in each}) if asks else ():
                    found[id].add(name)
                for id in Document.objects.filter(id__in=self.documents).values_list("id", flat=True) if opens else ():
                    opened[id].add(name)
        return Met(
            at,
            reach,
            {id: frozenset(each) for id, each in found.items()},
            {id: frozenset(each) for id, each in opened.items()},
        )

    def _holders(self) -> Iterator[tuple[str, Principal]]:
        for name in self.users:
            try:
                yield name, user_principal(User.objects.get_by_natural_key(name), self.firm.id)
            except UnknownTenantError:
                continue
        for id, plain in self.keys.items():
            try:
                yield str(id), key_principal(api_key_authenticate(plain))
            except (InvalidKeyError, UnknownTenantError):
                continue

    def _found_by(self, principal: Principal, kinds: set[str]) -> set[UUID]:
        """Return what a search finds now, or as of the instant at which a version became the current one."""
        found: set[UUID] = set()
        for as_of in {None, *self.documents.values()}:
            within = SearchBounds(
                tenant_id=self.firm.id,
                scope_ids=tuple(ScopeId(each) for each in principal.scope_ids),
                kinds=tuple(sorted(kinds)),
                as_of=as_of,
            )
            query = SearchQuery(terms=weighted(WORD))
            hits = SparseRetriever(k1=1.2, b=0.75).retrieve(query, within=within, top_k=1000).hits
            found |= {UUID(str(hit.document_id)) for hit in hits}
        return found & self.documents.keys()


def kinds_by_intent(policy: PolicySnapshot) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what the gate permits for each intent, as the register orders it."""
    found = []
    for name in (*(rule.name for rule in policy.intents), UNRECOGNISED):
        decision = IntentDecision(
            intent=name,
            label="",
            recognised=name != UNRECOGNISED,
            score=0.0,
            margin=0.0,
            reason="",
            nearest=(),
            matched_terms=(),
            set_aside=(),
            degraded=False,
        )
        permitted = tuple(kind.value for kind in gate(decision, policy).permitted)
        found.append((name or "unrecognised", permitted))
    return tuple((name, kinds) for name, kinds in found if kinds)


def told(cell: Cell | None) -> Reach:
    if cell is None:
        return NOTHING
    kinds = tuple((name, tuple(kind.value for kind in each)) for name, each in cell.reaches)
    return Reach(frozenset(cell.asks), frozenset(cell.opens), kinds)


def name_of(subject: Any) -> str:
    return str(subject.id) if subject.name.startswith("gbx_") else str(subject.name)
