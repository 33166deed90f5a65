"""The facts that a package gives beside the data, in its language: the recipients, and how long events are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings

from apps.audit.registry import EventClass
from apps.erasure.retention.content import Rule
from apps.privacy.access_packages.wordings import ground, period
from apps.privacy.access_packages.wordings.contract import PackageWording
from apps.privacy.my_data.contracts import Entry
from apps.privacy.my_data.kinds import rules_by_kind
from apps.privacy.my_data.recipients import provider_of, roles_with
from apps.tenants.models import Tenant
from apps.tenants.roles import Permission


def recipients(tenant: Tenant, wording: PackageWording) -> list[Entry]:
    """Return the recipients of documents and of questions about them, by the tenant's current settings."""
    words = wording.recipients
    embeddings, answers = settings.GLASSBOX_EMBEDDING_PROFILES, settings.GLASSBOX_GENERATION_PROFILES
    found = [
        _inside(words.readers, Permission.DOCUMENT_VIEW, words.readers_get, wording),
        _inside(words.auditors, Permission.AUDIT_VIEW, words.auditors_get, wording),
        _inside(words.officers, Permission.PRIVACY_MANAGE, words.officers_get, wording),
        _provider(tenant, words.embeddings, tenant.embedding_profile, embeddings, words.embeddings_get, wording),
        _provider(tenant, words.answers, tenant.generation_profile, answers, words.answers_get, wording),
    ]
    if settings.EMAIL_HOST:
        found.append(_recipient(words.mail, words.mail_which, words.mail_gets))
    return found


def event_label(action: str, known: EventClass | None, wording: PackageWording) -> str:
    """Return the label of a kind of event, or its action where that is not registered any more."""
    if known is None:
        return action
    events = wording.keeping.events
    return known.label if events is None else events[action]


def kinds_of_events(actions: Iterable[str], wording: PackageWording) -> list[Entry]:
    """Return an entry for each kind of event: its minimum retention, and the rules in force. Costs: two queries."""
    return [_kind(action, known, rules, wording) for action, known, rules in rules_by_kind(actions)]


def _kind(action: str, known: EventClass | None, rules: list[Rule], wording: PackageWording) -> Entry:
    kind = {"action": action, "what": event_label(action, known, wording)}
    if known is None:
        return {**kind, "legal_basis": None, "at_least": None, "in_force": []}
    basis = next((rule.legal_basis for rule in rules if not rule.group), known.legal_basis)
    return {
        **kind,
        "legal_basis": ground(basis, wording),
        "at_least": period(known.retention_years * 12, wording.keeping.periods),
        "in_force": [_rule(rule, wording) for rule in rules] or [wording.keeping.no_rule],
    }


def _rule(rule: Rule, wording: PackageWording) -> str:
    words = wording.keeping
    part = words.of_part.format(part=wording.places[rule.group]) if rule.group else ""
    kept = words.kept.format(period=period(rule.keep_months, words.periods))
    gone = words.gone.format(period=period(rule.remove_months, words.after)) if rule.remove_months is not None else ""
    return f"{part}{kept}{gone}"


def _inside(who: str, permission: Permission, gets: str, wording: PackageWording) -> Entry:
    roles = sorted(wording.recipients.roles[role.value] for role in roles_with(permission))
    return _recipient(who, ", ".join(roles), gets)


def _provider(
    tenant: Tenant,
    who: str,
    name: str,
    profiles: Mapping[str, Mapping[str, Any]],
    gets: str,
    wording: PackageWording,
) -> Entry:
    words, provider = wording.recipients, provider_of(tenant, name, profiles)
    which = f"{name} ({provider.model or words.unconfigured})"
    if not provider.is_outside:
        which, gets = f"{which}, {words.inside}", words.nothing_leaves
    return _recipient(who, which, gets, region=provider.region, leaves_region=provider.leaves_region)


def _recipient(who: str, which: str, gets: str, *, region: str | None = None, leaves_region: bool = False) -> Entry:
    return {"who": who, "which": which, "gets": gets, "region": region, "leaves_region": leaves_region}
