"""What changed of the API, by version: CHANGELOG.md as a page, as JSON, and as it is."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer, TemplateHTMLRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.api.media_types import bytes_as
from apps.tenants.api.views import ApiView

MARKDOWN: Final = "text/markdown"
_VERSION: Final = re.compile(r"## \[(?P<version>\d+\.\d+\.\d+)\] - (?P<day>\d{4}-\d\d-\d\d)")
_CHANGE: Final = re.compile(r"### (?P<kind>Added|Changed|Deprecated|Removed|Fixed|Security)")
_CODE: Final = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Of one kind. items: in Markdown's words, one line each."""

    kind: str
    items: tuple[str, ...]

    @property
    def marked(self) -> list[list[tuple[bool, str]]]:
        """The items in pieces, each with whether it is code."""
        return [[(place % 2 == 1, text) for place, text in enumerate(_CODE.split(item))] for item in self.items]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    version: str
    released_on: str
    changes: tuple[Changes, ...]


@lru_cache(maxsize=1)
def changelog_text() -> str:
    return (settings.BASE_DIR / "CHANGELOG.md").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def changelog() -> tuple[Version, ...]:
    """Newest first. Raises: ValueError: a line that is none of the form's."""
    found: list[tuple[str, str, list[tuple[str, list[str]]]]] = []
    _, _, entries = changelog_text().partition("\n## ")
    for line in f"## {entries}".splitlines():
        if version := _VERSION.fullmatch(line):
            found.append((version["version"], version["day"], []))
        elif change := _CHANGE.fullmatch(line):
            found[-1][2].append((change["kind"], []))
        elif line.startswith("- "):
            found[-1][2][-1][1].append(line.removeprefix("- "))
        elif line.startswith("  "):
            found[-1][2][-1][1][-1] += f" {line.strip()}"
        elif line:
            raise ValueError(f"not of the changelog's form: {line}")
    return tuple(
        Version(
            version=version,
            released_on=day,
            changes=tuple(Changes(kind=kind, items=tuple(items)) for kind, items in changes),
        )
        for version, day, changes in found
    )


def changelog_json() -> dict[str, Any]:
    return {"versions": [asdict(each) for each in changelog()]}


@method_decorator(transaction.non_atomic_requests, name="dispatch")
@extend_schema(exclude=True)
class ChangelogView(ApiView):
    """For anybody, as the OpenAPI document is."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    renderer_classes = [TemplateHTMLRenderer, JSONRenderer, bytes_as(MARKDOWN)]

    def get(self, request: Request) -> HttpResponseBase:
        wanted = request.accepted_renderer.media_type
        if wanted == MARKDOWN:
            response = Response(changelog_text().encode(), content_type=f"{MARKDOWN}; charset=utf-8")
        elif wanted == JSONRenderer.media_type:
            response = Response(changelog_json())
        else:
            response = Response({"versions": changelog()}, template_name="glassbox/changelog.html")
        response["Vary"] = "Accept"
        return response
