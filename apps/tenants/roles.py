"""The roles and their permissions, in one table that the admin, the API and the commands all use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from django.db import models


class Role(models.TextChoices):
    COMPLIANCE_OFFICER = "compliance_officer", "Compliance officer"
    REVIEWER = "reviewer", "Reviewer"
    DPO = "dpo", "Data protection officer"
    ANALYST = "analyst", "Analyst"
    AUDITOR = "auditor", "Auditor"
    TENANT_ADMIN = "tenant_admin", "Tenant administrator"


class Permission(StrEnum):
    QUESTION_ASK = "question.ask"
    DOCUMENT_VIEW = "document.view"
    DOCUMENT_ADD = "document.add"
    DOCUMENT_DELETE = "document.delete"
    JOB_RETRY = "job.retry"
    POLICY_VIEW = "policy.view"
    POLICY_EDIT = "policy.edit"
    POLICY_APPROVE = "policy.approve"
    AUDIT_VIEW = "audit.view"
    PRIVACY_MANAGE = "privacy.manage"
    PRIVACY_APPROVE = "privacy.approve"
    SCOPE_MANAGE = "scope.manage"
    MEMBER_VIEW = "member.view"
    MEMBER_MANAGE = "member.manage"
    KEY_MANAGE = "key.manage"
    TENANT_MANAGE = "tenant.manage"


_READ = frozenset({Permission.DOCUMENT_VIEW, Permission.POLICY_VIEW})

PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.ANALYST: _READ | {Permission.QUESTION_ASK, Permission.DOCUMENT_ADD},
    Role.COMPLIANCE_OFFICER: _READ
    | {Permission.QUESTION_ASK, Permission.POLICY_EDIT, Permission.AUDIT_VIEW, Permission.MEMBER_VIEW},
    Role.REVIEWER: _READ
    | {
        Permission.QUESTION_ASK,
        Permission.POLICY_APPROVE,
        Permission.PRIVACY_APPROVE,
        Permission.AUDIT_VIEW,
        # To confirm a new reviewer, a reviewer must see who that is.
        Permission.MEMBER_VIEW,
    },
    # A second DPO may approve what the first proposes; nobody approves their own.
    Role.DPO: _READ
    | {
        Permission.DOCUMENT_DELETE,
        Permission.AUDIT_VIEW,
        Permission.PRIVACY_MANAGE,
        Permission.PRIVACY_APPROVE,
        Permission.MEMBER_VIEW,
    },
    Role.AUDITOR: _READ | {Permission.AUDIT_VIEW, Permission.MEMBER_VIEW},
    Role.TENANT_ADMIN: _READ
    | {
        Permission.QUESTION_ASK,
        Permission.DOCUMENT_ADD,
        Permission.DOCUMENT_DELETE,
        Permission.JOB_RETRY,
        Permission.SCOPE_MANAGE,
        Permission.MEMBER_VIEW,
        Permission.MEMBER_MANAGE,
        Permission.KEY_MANAGE,
        Permission.TENANT_MANAGE,
    },
}


def allows(roles: Iterable[Role], permission: Permission) -> bool:
    """Whether any of the roles carries the permission."""
    return any(permission in PERMISSIONS[role] for role in roles)


# Permissions to decide on what somebody else proposed. Giving a role with one of them takes a second person.
APPROVING: frozenset[Permission] = frozenset(each for each in Permission if each.value.endswith(".approve"))


def approvals(role: Role) -> frozenset[Permission]:
    """Return the approving permissions of a role. The person who confirms a membership with it must hold them all."""
    return PERMISSIONS[role] & APPROVING


APPROVING_ROLES: tuple[Role, ...] = tuple(role for role in Role if approvals(role))
