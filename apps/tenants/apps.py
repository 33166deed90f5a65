from __future__ import annotations

from django.apps import AppConfig


class TenantsConfig(AppConfig):
    name = "apps.tenants"
    label = "tenants"
    verbose_name = "Tenants"

    def ready(self) -> None:
        from apps.tenants import checks, clock, sessions, watchdog

        checks.register()
        sessions.connect()
        clock.connect()
        watchdog.connect()
