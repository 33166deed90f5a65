from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "apps.audit"
    label = "audit"
    verbose_name = "Audit"

    def ready(self) -> None:
        from django.core import checks

        from apps.audit.classes import register_tenant_events
        from apps.audit.classes_table import event_classes_check, write_event_classes
        from apps.audit.reporting.events import register_reporting_events
        from apps.audit.services import record
        from apps.audit.watching import register_watches
        from apps.audit.webhooks.events import offer_events, register_webhook_events
        from apps.tenants.registry import register_on_migrated, register_writer

        register_tenant_events()
        register_reporting_events()
        register_webhook_events()
        offer_events()
        register_writer(record)
        register_watches()
        register_on_migrated(write_event_classes)
        checks.register(event_classes_check, checks.Tags.database)
