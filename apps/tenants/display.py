"""How times, ids, states and sizes look on every page. The template filters in templatetags use these functions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

EMPTY = "—"

_JUST_NOW = timedelta(minutes=1)

# Colour is never the only sign of a state: the coloured field also contains the state as a word.
TONES = ("good", "busy", "warn", "bad", "quiet")


def moment(at: datetime | None, *, empty: str = EMPTY) -> str:
    """Return a time. A script shows it in the reader's time zone, with UTC on hover; without a script it is in UTC."""
    if at is None:
        return empty
    utc = at.astimezone(UTC)
    return format_html(
        '<time class="gb-time" datetime="{}" title="{}">{}</time>',
        utc.isoformat(timespec="seconds"),
        f"{utc:%Y-%m-%d %H:%M:%S} UTC",
        f"{utc:%d %b %Y %H:%M} UTC",
    )


def ago(at: datetime | None, *, empty: str = "never") -> str:
    """Return how long ago a time was, with the time itself on hover."""
    if at is None:
        return empty
    utc = at.astimezone(UTC)
    return format_html(
        '<time class="gb-ago" datetime="{}" title="{}">{}</time>',
        utc.isoformat(timespec="seconds"),
        f"{utc:%Y-%m-%d %H:%M:%S} UTC",
        "just now" if timezone.now() - at < _JUST_NOW else f"{timesince(at, depth=1)} ago",
    )


def identifier(value: UUID | str | None) -> str:
    """Return an id's last digits, as a button that copies the whole id. A uuidv7 begins with nothing but its time."""
    if not value:
        return EMPTY
    text = str(value)
    short = text if len(text) <= 12 else f"…{text[-8:]}"
    return format_html(
        '<button type="button" class="gb-id" data-copy="{}" title="Copy {}"><code>{}</code></button>', text, text, short
    )


def pill(text: object, tone: str = "quiet") -> SafeString:
    """Return a state as a word in a coloured field."""
    if tone not in TONES:
        raise ValueError(f"there is no tone {tone}")
    return format_html('<span class="gb-pill gb-{}">{}</span>', tone, text)


def byte_size(count: int) -> str:
    """Return a number of bytes as text, in powers of ten: 4,213,876 -> 4.2 MB."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def progress(percent: int | None, label: str) -> SafeString:
    """Return a progress bar. Without a percentage, the bar only shows that something is going on."""
    if percent is None:
        return format_html('<progress class="gb-progress" aria-label="{}"></progress>', label)
    return format_html('<progress class="gb-progress" max="100" value="{}" aria-label="{}"></progress>', percent, label)
