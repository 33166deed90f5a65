from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "apps.audit"
    label = "audit"
    verbose_name = "Audit"

    def ready(self) -> None:
        from apps.audit.classes import register_tenant_events
        from apps.audit.erasure.events import register_removal_events
        from apps.audit.erasure.log_store import EventPartStore
        from apps.audit.erasure.registry import register_release_hook, register_store
        from apps.audit.erasure.runs import runs_take_up
        from apps.audit.reporting.events import register_reporting_events
        from apps.audit.retention.baseline import give_baseline
        from apps.audit.retention.events import register_retention_events
        from apps.audit.services import record
        from apps.tenants import events
        from apps.tenants.provisioning import on_tenant_created

        register_tenant_events()
        register_reporting_events()
        register_retention_events()
        register_removal_events()
        register_store(EventPartStore())
        register_release_hook(runs_take_up)
        events.connect(record)
        on_tenant_created(give_baseline)
