"""The facts for an answer, and the answer. Every validity is half-open: it includes its start and excludes its end."""

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
    """The result of an answer.

    IN_THE_FUTURE and NOT_KNOWN say nothing about reach. With every other verdict except the first, nothing could be
    reached.
    """

    COULD_REACH = "could_reach"
    IN_THE_FUTURE = "in_the_future"
    BEFORE_THE_TENANT = "before_the_tenant"
    NOT_KNOWN = "not_known"  # to this tenant; the answer does not reveal whether the account exists elsewhere
    NOT_VALID = "not_valid"  # no membership then, or a key that was not valid
    NO_POLICY = "no_policy"
    MAY_NOT_ASK = "may_not_ask"  # no role then allowed questions
    NO_SCOPE = "no_scope"
    UNKNOWN_INTENT = "unknown_intent"  # the policy of that instant had no intent of the name


AMBIGUOUS = "ambiguous"
"""In the log only, in place of a verdict: the name meant several members, so there was no answer."""


class Through(StrEnum):
    """The source of a role: a membership or an API key."""

    MEMBERSHIP = "membership"
    API_KEY = "api_key"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActsFor:
    """The person for whom a key acts: name is their user name, label their display name."""

    id: UserId
    name: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The person or key that the question is about. id is None if this tenant knows nobody by the name.

    name identifies the subject in a question (a user name, or gbx_ and a key's prefix); label is the display name.
    acts_for: the person for whom a key acts. deactivated: whether the account of the person, or of the person for whom
    the key acts, is deactivated.
    """

    kind: PrincipalKind
    id: UUID | None
    name: str
    label: str
    deactivated: bool = False
    acts_for: ActsFor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A member or an API key, past or present, that a typed name may mean.

    name is the user name, or gbx_ and the key's prefix, by which to ask; label the display name.
    roles: those in force now, none for a former member or an ended key.
    """

    name: str
    label: str
    roles: tuple[Role, ...]
    kind: PrincipalKind = PrincipalKind.USER

    @property
    def standing(self) -> str:
        roles = ", ".join(role.label for role in self.roles)
        if self.kind is PrincipalKind.API_KEY:
            return f"API key, {roles or 'ended'}"
        return roles or "former member"


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantFact:
    """A grant of a scope, with its validity."""

    id: UUID
    scope_id: ScopeId
    valid_from: datetime
    valid_to: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A membership or an API key. grants are those that were valid at the instant of the question."""

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
    """A node in the tree of scopes. The tree only grows: a scope keeps its place."""

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
    """All facts that are read for one answer.

    holdings: everything that the subject ever held here, oldest first.
    bounds: every membership that the person for whom a key acts ever had; the key reaches only what both allow.
    tree: every scope that the tenant had then, whoever asks: scopes below a grant are counted even if the asker may
        not see their names.
    names: those of the reached or granted scopes that the asker may see.
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
    """The kinds that questions of one intent could reach, in budget order; `recognised` is false for the fallback."""

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
    """A holding that was valid then, with the grants that the asker may see and the number of the others."""

    holding: Holding
    grants: tuple[GrantedScope, ...]
    hidden_grants: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessAnswer:
    """The answer, as one sentence and as data.

    intent: the name asked for; empty for all intents of the policy.
    intents: what each intent could reach; without kinds unless the verdict is COULD_REACH.
    kind_order: all kinds, highest priority of the policy first.
    hidden_scopes: how many reached scopes the asker may not see.
    bounded_by: what the person for whom a key acts held then; empty for other subjects.
    suggestions: if this tenant knows nobody by the name, the members with the nearest names.
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
    suggestions: tuple[Candidate, ...] = ()
