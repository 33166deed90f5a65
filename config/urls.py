"""Addresses: the admin at the root, the API under /api/v1/."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", RedirectView.as_view(url="/admin/", permanent=False)),
    path("api/v1/", include("apps.retrieval.api.urls")),
    path("admin/", admin.site.urls),
]
