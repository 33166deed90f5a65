from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "apps.audit"
    label = "audit"
    verbose_name = "Audit"

    def ready(self) -> None:
        from apps.audit.classes import register_tenant_events
        from apps.audit.reporting.events import register_reporting_events
        from apps.audit.requests.events import register_request_events
        from apps.audit.services import record
        from apps.tenants import events

        register_tenant_events()
        register_reporting_events()
        register_request_events()
        events.connect(record)
