"""Select the newest preview of a version, and whether it is still up to date."""

from __future__ import annotations

from dataclasses import dataclass

from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.standing import in_force_at
from apps.quality.models import ImpactState, PolicyImpact
from apps.quality.services.impact import can_be_requested
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The newest preview of a version.

    impact: None if none was ever requested.
    draft_changed, base_changed: why it is out of date. A version that was decided on keeps its preview as a record.
    """

    version: PolicyVersion
    impact: PolicyImpact | None
    draft_changed: bool
    base_changed: bool
    may_request: bool

    @property
    def is_moving(self) -> bool:
        return self.impact is not None and self.impact.state in (ImpactState.QUEUED, ImpactState.RUNNING)

    @property
    def is_outdated(self) -> bool:
        return self.draft_changed or self.base_changed


def preview_of(version: PolicyVersion, principal: Principal) -> Preview:
    """Return the newest preview of a version, as the principal sees it. Costs two queries."""
    impact: PolicyImpact | None = (
        PolicyImpact.objects.filter(version=version).order_by("-requested_at", "-id").select_related("base").first()
    )
    ahead = can_be_requested(version)
    in_force = in_force_at(PolicyVersion.objects.all())
    is_own = version.status != VersionStatus.DRAFT or version.author_id == principal.id
    return Preview(
        version=version,
        impact=impact,
        draft_changed=ahead and impact is not None and impact.revision != version.revision,
        base_changed=ahead and impact is not None and impact.base_id != (in_force.id if in_force else None),
        may_request=ahead
        and is_own
        and (principal.may(Permission.POLICY_EDIT) or principal.may(Permission.POLICY_APPROVE)),
    )
