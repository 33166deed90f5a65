"""The invariants of a draft: as typed, read from a post, and turned into values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from apps.intents.invariants import LONGEST_NAME, MOST_INVARIANTS, Invariant, InvariantMode, read_invariants
from apps.tenants.roles import Role

MODES: Final = (
    (InvariantMode.NEVER.value, "These questions never reach these kinds"),
    (InvariantMode.ONLY.value, "Only these questions reach these kinds"),
)
_KEY: Final = re.compile(r"v[1-9][0-9]{0,3}")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Posted(Protocol):
    """What of Django's QueryDict is needed."""

    def getlist(self, key: str, /) -> list[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class InvariantFields:
    """One invariant as typed. `key` names it within the form. intents: short names, separated by commas."""

    key: str
    name: str = ""
    mode: str = InvariantMode.NEVER.value
    roles: tuple[str, ...] = ()
    intents: str = ""
    kinds: tuple[str, ...] = ()
    removed: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.name or self.roles or self.intents or self.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class InvariantRow:
    """What the template draws. choices: (value, label, whether it is ticked)."""

    fields: InvariantFields
    roles: tuple[tuple[str, str, bool], ...]
    kinds: tuple[tuple[str, str, bool], ...]
    modes: tuple[tuple[str, str, bool], ...]
    errors: tuple[str, ...]


def invariant_fields(invariants: Iterable[Invariant]) -> tuple[InvariantFields, ...]:
    return tuple(
        InvariantFields(
            key=f"v{number}",
            name=each.name,
            mode=each.mode.value,
            roles=each.roles,
            intents=", ".join(each.intents),
            kinds=each.kinds,
        )
        for number, each in enumerate(invariants, start=1)
    )


def posted_invariants(post: Posted) -> tuple[InvariantFields, ...] | None:
    """Return what was typed, or None if the form has no part for invariants: then they stay as they are stored."""
    if not post.getlist("invariants"):
        return None
    keys = list(dict.fromkeys(key for key in post.getlist("invariant") if _KEY.fullmatch(key)))
    return tuple(_posted(post, key) for key in keys[: MOST_INVARIANTS + 1])


def parse_invariants(
    rows: tuple[InvariantFields, ...] | None,
    stored: tuple[Invariant, ...],
    complain: Callable[[str, str], None],
) -> tuple[Invariant, ...]:
    """Return the values. What can be stored but not used is stored: validation names it, and keeps it from review."""
    if rows is None:
        return stored
    kept = [row for row in rows if not row.removed and not row.is_empty]
    for row in kept:
        _complain(row, [each.name for each in kept], complain)
    if any(row.mode not in set(InvariantMode) for row in kept):
        return stored
    return read_invariants(
        {
            "name": row.name,
            "mode": row.mode,
            "roles": row.roles,
            "intents": _intents(row),
            "kinds": row.kinds,
        }
        for row in kept
    )


def invariant_rows(
    rows: tuple[InvariantFields, ...], kinds: Iterable[tuple[str, str]], errors: dict[str, tuple[str, ...]]
) -> tuple[InvariantRow, ...]:
    """Return the rows for the page, and an empty one after them to type into."""
    taken = {row.key for row in rows}
    spare = next(key for number in range(1, len(taken) + 2) if (key := f"v{number}") not in taken)
    offered = list(kinds)
    empty = () if any(row.is_empty for row in rows) else (InvariantFields(key=spare),)
    return tuple(
        InvariantRow(
            fields=row,
            roles=tuple((role.value, str(role.label), role.value in row.roles) for role in Role),
            kinds=tuple((value, label, value in row.kinds) for value, label in offered),
            modes=tuple((value, label, value == row.mode) for value, label in MODES),
            errors=errors.get(f"invariant-{row.key}", ()),
        )
        for row in (*rows, *empty)
    )


def _posted(post: Posted, key: str) -> InvariantFields:
    def line(part: str) -> str:
        return " ".join("".join(post.getlist(f"invariant-{part}-{key}")[-1:]).replace("\0", "\ufffd").split())

    return InvariantFields(
        key=key,
        name=line("name"),
        mode=line("mode"),
        roles=tuple(sorted(set(post.getlist(f"invariant-role-{key}")) & set(Role.values))),
        intents=line("intents"),
        kinds=tuple(sorted({kind for kind in post.getlist(f"invariant-kind-{key}") if _NAME.fullmatch(kind)})),
        removed=bool(post.getlist(f"invariant-remove-{key}")),
    )


def _complain(row: InvariantFields, names: list[str], complain: Callable[[str, str], None]) -> None:
    field = f"invariant-{row.key}"
    if not row.name:
        complain(field, "Enter what the firm calls this invariant.")
    if len(row.name) > LONGEST_NAME or "\ufffd" in row.name:
        complain(field, f"The name has at most {LONGEST_NAME} characters, and none that can't be stored.")
    if row.name and names.count(row.name) > 1:
        complain(field, "Another invariant has this name. Choose another.")
    if row.mode not in set(InvariantMode):
        complain(field, "Choose whether these questions never, or alone, reach the kinds.")
    if any(not _NAME.fullmatch(name) for name in _intents(row)):
        complain(field, "Write the short names of intents, separated by commas, such as performance, attribution.")


def _intents(row: InvariantFields) -> list[str]:
    return [name for each in row.intents.split(",") if (name := each.strip())]
