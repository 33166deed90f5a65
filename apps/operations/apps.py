from __future__ import annotations

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "apps.operations"
    label = "operations"
    verbose_name = "Operations"

    def ready(self) -> None:
        from django.core import checks

        from apps.erasure.tombstones.gate import refuse_unless_served
        from apps.operations.backup.checks import served_check
        from apps.operations.backup.opening import open_where_nothing_is_erased
        from apps.tenants.registry import register_gate, register_on_migrated

        register_on_migrated(open_where_nothing_is_erased)
        checks.register(served_check, checks.Tags.database)
        register_gate(refuse_unless_served)
