"""Django's admin with our site in it. The site itself is loaded later, when the models are there."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class GlassboxAdminConfig(AdminConfig):
    default_site = "config.admin_site.GlassboxAdminSite"

    def ready(self) -> None:
        from config import checks

        super().ready()
        checks.register()
