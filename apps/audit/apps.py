from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "apps.audit"
    label = "audit"
    verbose_name = "Audit"

    def ready(self) -> None:
        from apps.audit.classes import register_tenant_events
        from apps.audit.erasure.contracts import Origin
        from apps.audit.erasure.events import register_removal_events
        from apps.audit.erasure.log_store import EventPartStore
        from apps.audit.erasure.registry import register_listener, register_release_hook, register_store
        from apps.audit.erasure.runs import runs_take_up
        from apps.audit.reporting.events import register_reporting_events
        from apps.audit.requests.events import register_request_events
        from apps.audit.requests.services.proposing import request_follows
        from apps.audit.services import record
        from apps.tenants import events

        register_tenant_events()
        register_reporting_events()
        register_request_events()
        register_removal_events()
        register_store(EventPartStore())
        register_release_hook(runs_take_up)
        register_listener(Origin.REQUEST, request_follows)
        events.connect(record)
