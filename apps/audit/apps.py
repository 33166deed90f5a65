from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "apps.audit"
    label = "audit"
    verbose_name = "Audit"

    def ready(self) -> None:
        from django.core import checks

        from apps.audit.backup.checks import served_check
        from apps.audit.backup.opening import open_where_nothing_is_erased
        from apps.audit.classes import register_tenant_events
        from apps.audit.erasure.registry import register_after_removal, register_before_removal
        from apps.audit.erasure_stores import register_stores
        from apps.audit.personal_data import classify_audit
        from apps.audit.reporting.events import register_reporting_events
        from apps.audit.services import record
        from apps.audit.tombstones.writing import tombstone_close, tombstone_write
        from apps.tenants import events
        from apps.tenants.provisioning import on_migrated

        register_tenant_events()
        register_reporting_events()
        events.connect(record)
        register_stores()
        classify_audit()
        register_before_removal(tombstone_write)
        register_after_removal(tombstone_close)
        on_migrated(open_where_nothing_is_erased)
        checks.register(served_check, checks.Tags.database)
