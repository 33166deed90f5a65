"""How facts look on every page: times, ids, states and sizes. The template filters in templatetags use the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

EMPTY = "—"

_JUST_NOW = timedelta(minutes=1)

# A tone is never the only sign: the state's word stands in it.
TONES = ("good", "busy", "warn", "bad", "quiet")


def moment(at: datetime | None, *, empty: str = EMPTY) -> str:
    """A time: the script shows it in the reader's zone, the hover shows UTC; without a script it is UTC and says so."""
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
    """How long ago, with the time itself on hover."""
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
    """An id's last digits with a button that copies the whole: the first ones of a uuidv7 are only its time."""
    if not value:
        return EMPTY
    text = str(value)
    short = text if len(text) <= 12 else f"…{text[-8:]}"
    return format_html(
        '<button type="button" class="gb-id" data-copy="{}" title="Copy {}"><code>{}</code></button>', text, text, short
    )


def pill(text: object, tone: str = "quiet") -> SafeString:
    """A state as a word in a coloured field."""
    if tone not in TONES:
        raise ValueError(f"there is no tone {tone}")
    return format_html('<span class="gb-pill gb-{}">{}</span>', tone, text)


def byte_size(count: int) -> str:
    """Bytes for people, in powers of ten: 4,213,876 -> 4.2 MB."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def progress(percent: int | None, label: str) -> SafeString:
    """A bar; without a percentage, one that only says that something is going on."""
    if percent is None:
        return format_html('<progress class="gb-progress" aria-label="{}"></progress>', label)
    return format_html('<progress class="gb-progress" max="100" value="{}" aria-label="{}"></progress>', percent, label)
