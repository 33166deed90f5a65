"""The tenant in which folders are evaluated, with a scope for each folder: one per installation, and one more for each
other embedding provider that is measured, so that vectors of one do not take the place of another's.

Its policy is that of packs.py. The decisions of a firm's own people are never changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Set
from typing import Final

from django.conf import settings
from django.utils.text import slugify

from apps.corpus.kinds import Kind
from apps.corpus.providers.tenant import tenant_provider
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, VersionOrigin
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.checking import version_checked
from apps.intents.services.drafts import draft_of
from apps.intents.services.golden import golden_vectors
from apps.intents.services.reviews import version_approve, version_submit
from apps.quality.errors import EvaluationError
from apps.quality.evaluation.packs import evaluation_policy
from apps.tenants.context import open_scope
from apps.tenants.errors import UnknownTenantError
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Scope, Tenant, User
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import user_principal
from apps.tenants.selectors.people import user_by_name
from apps.tenants.selectors.tenants import current_tenant, scope_by_key, tenant_by_slug
from apps.tenants.services.members import membership_grant
from apps.tenants.services.tenants import scope_create, tenant_create
from apps.tenants.short_scopes import ShortScopes

SLUG: Final = "evaluation"
NAME: Final = "Evaluation folders"
REASON: Final = "manage.py evaluate"
_ACCOUNTS: Final = (
    ("glassbox-evaluation-author", Role.COMPLIANCE_OFFICER),
    ("glassbox-evaluation-reviewer", Role.REVIEWER),
)
_POLICY_REASON: Final = "manage.py evaluate: the shipped packs, every intent reaching the kinds of the folder."


def evaluation_tenant(embedding_profile: str = "") -> Tenant:
    """Return the installation's tenant for folders, and create it if it is missing.

    Args:   embedding_profile: what computes its vectors; empty for the shipped provider.
    Raises: EvaluationError: a tenant that was not made for folders has its short name.
            ResidencyError: the provider is elsewhere.
    """
    slug = f"{SLUG}-{slugify(embedding_profile)}" if embedding_profile else SLUG
    name = f"{NAME}, {embedding_profile}" if embedding_profile else NAME
    try:
        tenant = tenant_by_slug(slug)
    except UnknownTenantError:
        # Strict: a folder's texts stay where this installation runs, unless an operator decides otherwise.
        return tenant_create(
            slug=slug,
            name=name,
            residency_region=settings.GLASSBOX_REGION,
            residency_strict=True,
            **({"embedding_profile": embedding_profile} if embedding_profile else {}),
            reason=REASON,
        )
    if tenant.name != name:
        raise EvaluationError("retrieval.evaluation_foreign_tenant", slug=slug, why=f"its name is not “{name}”")
    return tenant


def dataset_scope(tenant_id: TenantId, name: str) -> ScopeId:
    """Return the scope of a folder's documents, by the folder's name, and create it if it is missing."""
    words = slugify(name).replace("_", "-")[:80].strip("-")
    # Names that differ only in characters that a key cannot hold get different keys.
    told_apart = "" if words == name else f"-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    key = f"dataset:{words or 'folder'}{told_apart}"
    with open_scope(tenant=tenant_id, reason=REASON):
        found = Scope.objects.filter(key=key).first()
        made = found or scope_create(key=key, name=name[:200], parent=_root())
        return ScopeId(made.id)


def policy_for(tenant_id: TenantId, kinds: Set[Kind]) -> PolicySnapshot:
    """Return the evaluation policy for these kinds, and put it in force if another policy is.

    As with every policy, one account writes it and another approves it. Both accounts belong to the platform; nobody
    can sign in with them, and they hold a role in this tenant only.

    Raises: EvaluationError: another author wrote the policy in force.
            GoldenAccuracyError, ProviderError.
    """
    wanted = evaluation_policy(kinds)
    author, reviewer = (_account(tenant_id, username, role) for username, role in _ACCOUNTS)
    with open_scope(tenant=tenant_id, reason=REASON):
        in_force = policy_in_force()
        active: PolicyVersion = PolicyVersion.objects.get(id=in_force.version_id)
        if active.origin != VersionOrigin.BASELINE and active.author_id != author.id:
            why = f"its policy version {active.number} is of {active.author_label}"
            raise EvaluationError("retrieval.evaluation_foreign_tenant", slug=current_tenant().slug, why=why)
    if policy_sha256(in_force) == policy_sha256(wanted):
        return in_force
    writing, deciding = (ShortScopes.all_of(user_principal(each, tenant_id)) for each in (author, reviewer))
    with writing.open():
        draft = draft_of(wanted, origin=VersionOrigin.DRAFT, reason=_POLICY_REASON)
        snapshot = version_snapshot(draft)
    _embed_examples(tenant_id, snapshot)
    checked = version_checked(draft.id, writing)
    with writing.open():
        submitted = version_submit(draft.id, revision=draft.revision, checked=checked)
    checked = version_checked(draft.id, deciding)
    with deciding.open():
        version_approve(draft.id, revision=submitted.revision, reason=_POLICY_REASON, checked=checked)
    with open_scope(tenant=tenant_id, reason=REASON):
        return policy_in_force()


def give_access(tenant: Tenant, user: User) -> None:
    """Let a user see the runs: add a membership as analyst over all folders. A repeated call adds nothing."""
    with open_scope(tenant=TenantId(tenant.id), reason=REASON):
        membership_grant(user=user, role=Role.ANALYST, scopes=[_root()])


def _embed_examples(tenant_id: TenantId, draft: PolicySnapshot) -> None:
    """Load the model and compute the vectors of the draft's examples, in the name of the system.

    The accounts of the platform can't sign in, so a request to a provider elsewhere is never sent in their name.

    The model is loaded and the vectors are computed outside of any scope: on a busy machine that takes longer than a
    scope stays open.
    """
    with open_scope(tenant=tenant_id, reason=REASON):
        provider = tenant_provider()
    provider.embed_query("Which figures are there?")
    golden_vectors(snapshot=draft, provider=provider, tenant_id=tenant_id)


def _account(tenant_id: TenantId, username: str, role: Role) -> User:
    # Active, since it approves, and without a password or a mailbox to get one by: nobody signs in.
    user = user_by_name(username)
    if user is None:
        user = User(username=username)
        user.set_unusable_password()
        user.save()
    elif user.has_usable_password() or user.email:
        raise EvaluationError(
            "retrieval.evaluation_foreign_tenant", slug=SLUG, why=f"somebody can sign in as {username}"
        )
    elif not user.is_active:
        # As an earlier release made it.
        user.is_active = True
        user.save(update_fields=["is_active"])
    with open_scope(tenant=tenant_id, reason=REASON):
        membership_grant(user=user, role=role, scopes=[_root()])
    return user


def _root() -> Scope:
    return scope_by_key(f"firm:{current_tenant().slug}")
