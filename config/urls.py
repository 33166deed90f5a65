"""URL patterns: the admin under /admin/, to which the root redirects, and the API under /api/v1/."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", RedirectView.as_view(url="/admin/", permanent=False)),
    path("api/", include("config.api_urls")),
    path("", include("config.door_urls")),
    path("", include("apps.tenants.entry.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "apps.tenants.api.error_pages.bad_request"
handler403 = "apps.tenants.api.error_pages.permission_denied"
handler404 = "apps.tenants.api.error_pages.page_not_found"
handler500 = "apps.tenants.api.error_pages.server_error"
