"""Which versions the desk can be opened for: all but other people's drafts."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import Http404
from django.urls import reverse

from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import policy_versions
from apps.tenants.principals import Principal

# More would make the page heavy; any other version can be named in the address.
OFFERED: Final = 50
_LONGEST_NUMBER: Final = 9


def versions_to_see(principal: Principal) -> QuerySet[PolicyVersion]:
    """Newest first. A draft is its author's alone."""
    return policy_versions().filter(~Q(status=VersionStatus.DRAFT) | Q(author_id=principal.id, author_id__isnull=False))


def own_drafts(principal: Principal) -> QuerySet[PolicyVersion]:
    """The principal's drafts, newest first."""
    if principal.id is None:
        return policy_versions().none()
    return policy_versions().filter(status=VersionStatus.DRAFT, author_id=principal.id)


def version_of_number(text: str, principal: Principal) -> PolicyVersion:
    """Raises Http404 alike for what does not exist and what may not be seen."""
    readable = text.isdecimal() and len(text) <= _LONGEST_NUMBER
    found = versions_to_see(principal).filter(number=int(text)).first() if readable else None
    if found is None:
        raise Http404("There is no policy version of this number that you may see.")
    return found


def version_address(version_id: UUID, status: str) -> str:
    """The editor for a draft, the version's page for any other."""
    page = "policy_draft" if status == VersionStatus.DRAFT else "intents_policyversion_change"
    return reverse(f"admin:{page}", args=[version_id])
