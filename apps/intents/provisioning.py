"""Give a new tenant its first policy."""

from __future__ import annotations

from apps.intents.services.baseline import baseline_install
from apps.tenants.models import Tenant


def give_baseline(tenant: Tenant) -> None:
    """Install the baseline in the transaction that creates the tenant, with its scope open, so that it has a policy."""
    baseline_install()
