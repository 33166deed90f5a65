"""Look up and name the subjects of requests other than a person in documents: users, documents, scopes, the tenant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from apps.corpus.selectors import document_title
from apps.privacy.codes.requests import SubjectType
from apps.privacy.requests.errors import RequestError
from apps.tenants.context import current_scope
from apps.tenants.models import Membership, Scope
from apps.tenants.selectors.tenants import current_tenant

# Returns the subject's name as the reader may see it; empty where it does not exist or the reader may not see it.
Finder = Callable[[UUID], str]

WORDS: Final = {
    SubjectType.DATA_SUBJECT: "person",
    SubjectType.USER: "member of this tenant",
    SubjectType.DOCUMENT: "document",
    SubjectType.SCOPE: "scope",
    SubjectType.TENANT: "tenant",
}


def _user(id: UUID) -> str:
    found = Membership.objects.filter(user_id=id).select_related("user").first()
    return str(found.user.get_username()) if found else ""


def _scope(id: UUID) -> str:
    found = Scope.objects.filter(id=id).first()
    return str(found.key) if found else ""


def _tenant(id: UUID) -> str:
    return current_tenant().name if id == current_scope().tenant_id else ""


_FINDERS: Final[Mapping[SubjectType, Finder]] = {
    SubjectType.USER: _user,
    SubjectType.DOCUMENT: document_title,
    SubjectType.SCOPE: _scope,
    SubjectType.TENANT: _tenant,
}


def subject_name(type: SubjectType, id: UUID | None) -> str:
    """Return the subject's current name; empty where it is gone or not visible."""
    finder = _FINDERS.get(type)
    return finder(id) if finder is not None and id is not None else ""


def require_subject(type: SubjectType, id: UUID | None) -> None:
    """Raise RequestError unless the subject exists and is visible. A person in documents needs no id."""
    if type is not SubjectType.DATA_SUBJECT and not subject_name(type, id):
        raise RequestError("audit.request_subject_unknown", what=WORDS[type])
