"""Checks of the isolation of tenants against PostgreSQL's own catalogue.

They look at what is in the database, not at what the migrations meant to make. Every server runs them at its start
(checks.py), and so do `manage.py isolation check` and the tests. They run as the runtime role, because every role may
read what they read.
"""

from __future__ import annotations

from apps.tenants.catalogue import decisions, functions, keys, roles, stamps, tables, two
from apps.tenants.catalogue.contracts import CatalogueCheck, Cursor, Finding
from apps.tenants.catalogue.guarded import PLATFORM_TABLES, guarded_tables

__all__ = ["CHECKS", "PLATFORM_TABLES", "CatalogueCheck", "Finding", "findings", "guarded_tables"]

CHECKS = (
    CatalogueCheck(title="every table with rows of tenants has its policies, forced", find=tables.unguarded_tables),
    CatalogueCheck(
        title="no view, materialised view or foreign table goes round them", find=tables.unguarded_relations
    ),
    CatalogueCheck(title="every unique, primary and foreign key stays within a tenant", find=keys.keys_without_tenant),
    CatalogueCheck(title="every key and index of a scoped table stays within a scope", find=keys.keys_without_scope),
    CatalogueCheck(title="no index is searched for ranges of hidden rows", find=keys.hidden_ranges),
    CatalogueCheck(title="the planner tells nothing of hidden values", find=tables.telling_planner),
    CatalogueCheck(title="no condition of a question runs before a policy", find=tables.unordered_conditions),
    CatalogueCheck(title="no function runs with its owner's rights but the token's", find=roles.definers),
    CatalogueCheck(
        title="whoever makes a trigger, policy or default run may do all that it does", find=functions.forbidden_bodies
    ),
    CatalogueCheck(title="the roles that run anything are ordinary ones", find=roles.strong_roles),
    CatalogueCheck(title="no role holds a right that it has no use for", find=roles.rights),
    CatalogueCheck(title="no role reads a secret that it has no use for", find=roles.secret_columns),
    CatalogueCheck(title="no single person removes what two decide on", find=two.deletable_by_one),
    CatalogueCheck(
        title="every decision of two people asks whose hands their accounts are in", find=decisions.unguarded_decisions
    ),
    CatalogueCheck(title="the roles that approve are the same ones everywhere", find=decisions.roles_that_approve),
    CatalogueCheck(
        title="no time that the server sets is the application's clock's", find=stamps.clocks_of_the_application
    ),
    CatalogueCheck(title="PostgreSQL's own side doors are shut", find=roles.open_doors),
)


def findings(cursor: Cursor) -> list[Finding]:
    """Return everything that is wrong. Costs: at least one query for each check, some milliseconds each."""
    return [finding for check in CHECKS for finding in check.find(cursor)]
