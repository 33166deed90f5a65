"""Versions on their way through a review, by the real services, for tests of the pages and of the browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from apps.intents.contracts import PolicySnapshot
from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import draft_save, draft_start
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from tests.deciding import version_submit
from tests.factories import Firm, as_

REASON = "Schedules belong to performance."


def wider(snapshot: PolicySnapshot) -> PolicySnapshot:
    """Performance may reach schedules too.

    Its own bar is 0: the test server's vectors stand for words, not for meanings. The bar has tests of its own.
    """
    first, *rest = snapshot.intents
    return replace(
        snapshot,
        intents=(replace(first, kinds=tuple({**dict.fromkeys(first.kinds), FundHouse.SCHEDULE: None})), *rest),
        classifier=replace(snapshot.classifier, minimum_golden_accuracy=0.0),
    )


def drafted(
    author: Principal, change: Callable[[PolicySnapshot], PolicySnapshot] = wider, *, reason: str = REASON
) -> PolicyVersion:
    with as_(author):
        draft = draft_start(reason=reason)
        return draft_save(draft.id, content=change(version_snapshot(draft)), reason=reason, revision=draft.revision)


def submitted(
    author: Principal, change: Callable[[PolicySnapshot], PolicySnapshot] = wider, *, reason: str = REASON
) -> PolicyVersion:
    draft = drafted(author, change, reason=reason)
    with as_(author):
        return version_submit(draft.id)


def again(firm: Firm, version: PolicyVersion) -> PolicyVersion:
    """As it stands in the database now."""
    with open_scope(tenant=firm.id, reason="a test"):
        found: PolicyVersion = PolicyVersion.objects.select_related("based_on").get(id=version.id)
        return found
