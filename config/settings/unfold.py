"""The appearance and navigation of the admin. Functions named by dotted path decide per request what a user sees."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static


def _stylesheet(request: HttpRequest) -> str:
    return static("glassbox/glassbox.css")


def _script(request: HttpRequest) -> str:
    return static("glassbox/glassbox.js")


def _components(request: HttpRequest) -> str:
    return static("glassbox/alpine.js")


def _icon(request: HttpRequest) -> str:
    return static("glassbox/icon.svg")


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Glassbox",
    "SITE_HEADER": "Glassbox",
    "SITE_SUBHEADER": "Answers with their evidence",
    "SITE_URL": None,
    "SITE_ICON": _icon,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _icon}],
    "SHOW_HISTORY": "apps.tenants.admin.sidebar.may_see_history",
    "SHOW_VIEW_ON_SITE": False,
    "STYLES": [_stylesheet],
    "SCRIPTS": [_components, _script],
    "BORDER_RADIUS": "6px",
    "COLORS": {
        "primary": {
            "50": "oklch(97.6% .014 205)",
            "100": "oklch(94.5% .030 205)",
            "200": "oklch(89.5% .052 206)",
            "300": "oklch(82.0% .085 208)",
            "400": "oklch(71.5% .105 212)",
            "500": "oklch(60.5% .105 216)",
            "600": "oklch(50.5% .092 219)",
            "700": "oklch(43.5% .078 221)",
            "800": "oklch(37.5% .064 222)",
            "900": "oklch(32.5% .052 223)",
            "950": "oklch(24.0% .040 225)",
        },
    },
    "DASHBOARD_CALLBACK": "apps.operations.admin.overview.start_page",
    "COMMAND": {"search_models": False, "show_history": False},
    "SIDEBAR": {
        "show_search": True,
        "command_search": True,
        "show_all_applications": False,
        "navigation": "apps.tenants.admin.sidebar.navigation",
    },
}
