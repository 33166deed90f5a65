"""What a new tenant gets from this floor."""

from __future__ import annotations

from apps.intents.services.baseline import baseline_install
from apps.tenants.models import Tenant


def give_baseline(tenant: Tenant) -> None:
    """Called in the transaction that creates the tenant, with its scope open: no tenant is ever without a policy."""
    baseline_install()
