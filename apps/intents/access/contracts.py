"""The facts that an answer is made of, and the answer. Every validity is half-open: from its start up to its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from apps.corpus.kinds import Kind
from apps.intents.contracts import PolicySnapshot
from apps.tenants.ids import ScopeId, UserId
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission, Role, allows


class Verdict(StrEnum):
    """How an answer ends. Nothing could be reached with any but the first."""

    COULD_REACH = "could_reach"
    IN_THE_FUTURE = "in_the_future"
    BEFORE_THE_TENANT = "before_the_tenant"
    NOT_KNOWN = "not_known"  # to this tenant; whether there is such an account elsewhere is not told
    NOT_VALID = "not_valid"  # no membership then, or a key that was not valid
    NO_POLICY = "no_policy"
    MAY_NOT_ASK = "may_not_ask"  # no role then allowed questions
    NO_SCOPE = "no_scope"
    UNKNOWN_INTENT = "unknown_intent"  # the policy of that instant had no intent of the name


class Through(StrEnum):
    """What a person or a key holds its role by."""

    MEMBERSHIP = "membership"
    API_KEY = "api_key"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActsFor:
    """The person in whose name a key acts: name is their user name, label what people say."""

    id: UserId
    name: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Who is asked about. id is None where this tenant knows nobody of the name.

    name is what one asks by (a user name, or gbx_ and a key's prefix), label what people say. acts_for: of a key that
    is a person's own. deactivated: the account of the person, or of the one whom the key acts for.
    """

    kind: PrincipalKind
    id: UUID | None
    name: str
    label: str
    deactivated: bool = False
    acts_for: ActsFor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantFact:
    """A scope given, from when to when."""

    id: UUID
    scope_id: ScopeId
    valid_from: datetime
    valid_to: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A membership or an API key. grants are those valid at the instant that is asked about."""

    through: Through
    id: UUID
    role: Role
    valid_from: datetime
    valid_to: datetime | None
    grants: tuple[GrantFact, ...] = ()

    @property
    def may_ask(self) -> bool:
        return allows([self.role], Permission.QUESTION_ASK)

    def is_valid(self, at: datetime) -> bool:
        return self.valid_from <= at and (self.valid_to is None or at < self.valid_to)


class ScopeFact(NamedTuple):
    """A place in the tree of scopes. The tree only grows: a scope keeps its place."""

    id: ScopeId
    parent_id: ScopeId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeName:
    """A scope that the asker may see."""

    id: ScopeId
    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantFacts:
    slug: str
    name: str
    created_at: datetime
    suspended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessFacts:
    """All that is read for one answer.

    holdings: everything that the subject ever held here, oldest first.
    bounds: every membership that the person ever had whom a key acts for; it reaches no more than both give.
    tree: every scope that the tenant had then, whoever asks: what lies below a grant is counted even where it is not
        named.
    names: the scopes that the asker may see, of those that were reached or given.
    """

    at: datetime
    answered_at: datetime
    tenant: TenantFacts
    subject: Subject
    holdings: tuple[Holding, ...]
    bounds: tuple[Holding, ...]
    tree: tuple[ScopeFact, ...]
    names: Mapping[ScopeId, ScopeName]
    policy: PolicySnapshot | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentReach:
    """What questions of one intent could reach, in budget order; `recognised` is false for the fallback."""

    name: str
    label: str
    recognised: bool
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantedScope:
    scope: ScopeName
    valid_from: datetime
    valid_to: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantedBy:
    """A holding that was valid then, with the grants that the asker may see; the others are counted."""

    holding: Holding
    grants: tuple[GrantedScope, ...]
    hidden_grants: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessAnswer:
    """The answer, as one sentence and in its parts.

    intent: the name asked for; empty for all of the policy's.
    intents: what each could reach; without kinds unless the verdict is COULD_REACH.
    kind_order: all kinds, highest priority of the policy first.
    hidden_scopes: how many more were reached that the asker may not see.
    bounded_by: what the person held then whom a key acts for; empty for everybody else.
    """

    verdict: Verdict
    sentence: str
    at: datetime
    answered_at: datetime
    tenant: TenantFacts
    subject: Subject
    intent: str
    intents: tuple[IntentReach, ...]
    kind_order: tuple[Kind, ...]
    scopes: tuple[ScopeName, ...]
    hidden_scopes: int
    granted_by: tuple[GrantedBy, ...]
    bounded_by: tuple[GrantedBy, ...]
    policy: PolicySnapshot | None
    notes: tuple[str, ...]
