"""The rows of the editor: what was typed, what is wrong with it beside each field, and the rules that it makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from apps.erasure.declarations.retained import RetainedSubject
from apps.erasure.retention.content import Problem, Rule, ordered, problems
from apps.erasure.retention.months import in_words
from apps.erasure.retention.subjects import subjects

_WHOLE = "Enter a whole number of months."


@dataclass(slots=True, kw_only=True)
class Row:
    """One rule as fields. key: `subject|group`, of which the names of its fields are made."""

    rule: Rule
    keep: str
    remove: str
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.rule.subject}|{self.rule.group}"

    @property
    def about(self) -> RetainedSubject | None:
        return subjects().get(self.rule.subject)

    @property
    def group_label(self) -> str:
        about = self.about
        return about.groups.get(self.rule.group, self.rule.group) if about else self.rule.group

    @property
    def minimum(self) -> str:
        about = self.about
        return in_words(about.minimum_months) if about and about.minimum_months else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One family of rows. clocks: whether there is a choice of clocks."""

    title: str
    rows: tuple[Row, ...]
    clocks: bool
    has_versions: bool


class Rows:
    """All rows of a draft."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = {row.key: row for row in rows}
        self.bulk_error = ""
        self.part_error = ""

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> Rows:
        return cls(_row(rule) for rule in rules)

    @classmethod
    def typed(cls, data: Mapping[str, str], rules: Sequence[Rule]) -> Rows:
        """The rules with what was typed over them; fields that were not sent stay as they are."""
        rows = cls.of(rules)
        for key, row in rows._rows.items():
            row.keep = data.get(f"keep:{key}", row.keep).strip()
            row.remove = data.get(f"remove:{key}", row.remove).strip()
            row.rule = replace(
                row.rule,
                legal_basis=data.get(f"basis:{key}", row.rule.legal_basis).strip()[:120],
                clock_start=data.get(f"clock:{key}", row.rule.clock_start)[:32],
                includes_current=bool(data.get(f"current:{key}")),
            )
        return rows

    def carry_out(self, act: str, data: Mapping[str, str]) -> None:
        """What a button does beside saving: another row, one row less, the same for a whole family."""
        if act.startswith("drop:"):
            row = self._rows.get(act.removeprefix("drop:"))
            # Of a rule for the whole nobody would know afterwards how long it is kept.
            if row is not None and row.rule.group:
                del self._rows[row.key]
        elif act == "part":
            self._add_part(data.get("part", ""))
        elif act == "bulk":
            self._set_all(data.get("bulk_family", ""), data.get("bulk_keep", ""), data.get("bulk_remove", ""))
        self._check()

    def rules(self) -> tuple[Rule, ...]:
        return ordered(row.rule for row in self._rows.values())

    def add(self, found: Iterable[Problem]) -> None:
        for problem in found:
            row = self._rows.get("|".join(problem.key))
            if row is not None:
                row.errors.setdefault(problem.field, problem.text)

    @property
    def has_problems(self) -> bool:
        return bool(self.bulk_error or self.part_error) or any(row.errors for row in self._rows.values())

    @property
    def wrong(self) -> list[Row]:
        return [row for row in self._rows.values() if row.errors]

    @property
    def tables(self) -> list[Table]:
        ordered_keys = [f"{rule.subject}|{rule.group}" for rule in self.rules()]
        by_family: dict[str, list[Row]] = {}
        for key in ordered_keys:
            about = self._rows[key].about
            by_family.setdefault(about.family if about else "No longer kept", []).append(self._rows[key])
        return [
            Table(
                title=family,
                rows=tuple(rows),
                clocks=any(row.about and len(row.about.clocks) > 1 for row in rows),
                has_versions=any(row.about and row.about.has_versions for row in rows),
            )
            for family, rows in by_family.items()
        ]

    @property
    def parts(self) -> list[tuple[str, str]]:
        """What can still have a rule of its own -> its name."""
        return [
            (f"{key}|{group}", f"{subject.label}: {label}")
            for key, subject in subjects().items()
            for group, label in subject.groups.items()
            if f"{key}|{group}" not in self._rows
        ]

    def _add_part(self, key: str) -> None:
        if key not in dict(self.parts):
            self.part_error = "Choose the part that gets its own rule."
            return
        subject, _, group = key.partition("|")
        whole = self._rows[f"{subject}|"]
        self._rows[key] = Row(rule=replace(whole.rule, group=group), keep=whole.keep, remove=whole.remove)

    def _set_all(self, family: str, keep: str, remove: str) -> None:
        of_family = [row for row in self._rows.values() if row.about and row.about.family == family]
        if not of_family or not keep.strip().isdigit() or (remove.strip() and not remove.strip().isdigit()):
            self.bulk_error = "Choose what it is about, and enter whole numbers of months."
            return
        for row in of_family:
            row.keep, row.remove = keep.strip(), remove.strip()

    def _check(self) -> None:
        for row in self._rows.values():
            keep, remove = _months(row.keep), _months(row.remove)
            if keep is None:
                row.errors["keep_months"] = _WHOLE
            if remove is None and row.remove:
                row.errors["remove_months"] = f"{_WHOLE} Leave it empty if it never has to be removed."
            if keep is not None:
                row.rule = replace(row.rule, keep_months=keep, remove_months=remove)
        self.add(problems(self.rules()))


def _row(rule: Rule) -> Row:
    remove = "" if rule.remove_months is None else str(rule.remove_months)
    return Row(rule=rule, keep=str(rule.keep_months), remove=remove)


def _months(typed: str) -> int | None:
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) <= 6 else None
