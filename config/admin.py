"""Django's admin with our site. Django loads the site itself later, when the models are ready."""

from __future__ import annotations

from importlib import import_module

from django.contrib.admin.apps import AdminConfig


class GlassboxAdminConfig(AdminConfig):
    default_site = "config.admin_site.GlassboxAdminSite"

    def ready(self) -> None:
        from config import checks

        super().ready()
        # Processes load the pages before they fork, and a mistake in one of them stops the start.
        import_module("config.admin_pages")
        checks.register()
