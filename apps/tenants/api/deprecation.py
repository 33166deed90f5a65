"""What of the API is to go: said in every answer (RFC 9745, RFC 8594), and in the OpenAPI document.

    class OldView(ApiView):
        deprecated = {"GET": Deprecated(since=date(2027, 1, 1), sunset=date(2027, 7, 1))}
        deprecated_parameters = {"scope": Deprecated(since=date(2027, 1, 1))}

An operation says it always, a parameter where it was sent. What to use instead stands in the changelog, where the
headers lead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final

from django.conf import settings
from django.utils.http import http_date

# The page of apps/retrieval/api/changelog.py.
CHANGELOG: Final = "/api/v1/changelog/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecated:
    """since: the day from which nobody should begin to use it. sunset: when it may be removed; None: not settled.

    Raises: ValueError: the sunset is before the announcement.
    """

    since: date
    sunset: date | None = None

    def __post_init__(self) -> None:
        if self.sunset is not None and self.sunset < self.since:
            raise ValueError(f"gone on {self.sunset}, told on {self.since}")

    @property
    def sentence(self) -> str:
        gone = f", and will be removed on {self.sunset:%Y-%m-%d}" if self.sunset else ""
        return f"Deprecated since {self.since:%Y-%m-%d}{gone}: see the [changelog]({CHANGELOG})."


def headers_of(told: Iterable[Deprecated]) -> dict[str, str]:
    """For an answer; of several, the earliest days. None for nothing that is to go."""
    known = list(told)
    if not known:
        return {}
    ends = [each.sunset for each in known if each.sunset is not None]
    return {
        "Deprecation": f"@{_seconds(min(each.since for each in known))}",
        **({"Sunset": http_date(_seconds(min(ends)))} if ends else {}),
        "Link": f'<{settings.GLASSBOX_URL.rstrip("/")}{CHANGELOG}>; rel="deprecation"; type="text/html"',
    }


def described(*, sunset: bool) -> dict[str, Any]:
    """The headers, for the OpenAPI document."""
    headers: dict[str, Any] = {
        "Deprecation": {
            "description": "The time of the deprecation: @ and seconds of Unix time (RFC 9745).",
            "schema": {"type": "string"},
        },
        "Link": {"description": "A link to the explanation, as `deprecation`.", "schema": {"type": "string"}},
    }
    if sunset:
        headers["Sunset"] = {
            "description": "The time after which it may be removed (RFC 8594).",
            "schema": {"type": "string"},
        }
    return headers


def _seconds(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
