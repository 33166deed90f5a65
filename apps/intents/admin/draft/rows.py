"""The editor's parts with what is wrong beside each: what the template draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from apps.corpus.kinds import RetentionClass, Right, SourceType
from apps.intents.admin.draft.fields import FALLBACK, BudgetFields, DraftFields, IntentFields
from apps.intents.admin.draft.settings import RETRIEVAL, THRESHOLDS, Setting
from apps.intents.admin.matrix import RECORDING
from apps.intents.validation import MINIMUM_EXAMPLES

Messages = Mapping[str, tuple[str, ...]]
_OF_INTENTS = frozenset({"name", "label", "description", "recording", "example", "term"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A field: its id and name differ where several share a name."""

    id: str
    value: str
    errors: tuple[str, ...] = ()
    decisive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    kind: str
    sentence: str
    checked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRow:
    key: str
    title: str
    is_fallback: bool
    removed: bool
    is_new: bool
    name: Entry
    label: Entry
    description: Entry
    recording: Entry
    ticks: tuple[Tick, ...]
    examples: tuple[Entry, ...]
    terms: tuple[Entry, ...]
    problems: tuple[str, ...]
    open: bool

    @property
    def spare(self) -> range:
        """Empty lines to type into; the script keeps one of them, and adds more when asked."""
        return range(max(2, MINIMUM_EXAMPLES - len(self.examples)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleBox:
    role: str
    label: str
    checked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RightRow:
    """Which roles have a right to the documents of a kind. entry: its id is the name of the boxes."""

    legend: str
    hint: str
    boxes: tuple[RoleBox, ...]
    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRow:
    kind: str
    title: str
    heading: Entry
    cap: Entry
    position: Entry
    name: Entry
    description: Entry
    examples: Entry
    retention_class: Entry
    source_category: Entry
    rights: tuple[RightRow, ...]
    retired: bool
    left_out: bool
    is_new: bool
    open: bool
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRow:
    setting: Setting
    entry: Entry
    problems: tuple[str, ...]


def recording_choices() -> tuple[tuple[str, str], ...]:
    return tuple((mode.value, meaning) for mode, meaning in RECORDING.items())


def intent_rows(fields: DraftFields, errors: Messages, problems: Messages) -> tuple[IntentRow, ...]:
    """The intents, then the fallback."""
    kinds = kind_columns(fields)
    return tuple(_intent_row(row, kinds, errors, problems) for row in fields.rows)


def kind_columns(fields: DraftFields) -> tuple[BudgetFields, ...]:
    """In the order of the budgets."""
    return tuple(budget for budget in fields.budgets if not budget.left_out)


def class_choices() -> list[tuple[str, str]]:
    return [(each.value, str(each.label)) for each in RetentionClass]


def source_choices() -> list[tuple[str, str]]:
    return [(each.value, str(each.label)) for each in SourceType]


def budget_rows(fields: DraftFields, errors: Messages, problems: Messages) -> tuple[BudgetRow, ...]:
    return tuple(_budget_row(row, errors, problems) for row in fields.budgets)


def setting_rows(
    settings: Iterable[Setting], fields: DraftFields, errors: Messages, problems: Messages
) -> tuple[SettingRow, ...]:
    return tuple(
        SettingRow(
            setting=setting,
            entry=_entry(f"setting-{setting.name}", fields.settings[setting.name], errors),
            problems=problems.get(f"part-{setting.name}", ()),
        )
        for setting in settings
    )


def total_entry(fields: DraftFields, errors: Messages) -> Entry:
    return _entry("total_cap", fields.total_cap, errors)


def reason_entry(fields: DraftFields, errors: Messages) -> Entry:
    return _entry("reason", fields.reason, errors)


def field_title(field: str, fields: DraftFields) -> str:
    """What a field belongs to, for where its complaint stands apart from it."""
    part, _, rest = field.partition("-")
    if part == "invariant":
        return "Invariants of the firm"
    if part == "profile":
        return "Compliance profile"
    if field == "two-for":
        return "How many reviewers"
    if part == "setting":
        return next(setting.label for setting in (*THRESHOLDS, *RETRIEVAL) if setting.name == rest)
    kind = next((budget for budget in fields.budgets if budget.kind == rest), None)
    if kind is not None and part not in _OF_INTENTS:
        return kind.title
    key = rest.partition("-")[0]
    row = next((row for row in fields.rows if row.key == key), None)
    return _title(row) if row else {"total_cap": "Characters in all", "reason": "Reason"}[field]


def _title(row: IntentFields) -> str:
    return row.label or ("Questions that no intent recognises" if row.key == FALLBACK else "New intent")


def _intent_row(row: IntentFields, kinds: tuple[BudgetFields, ...], errors: Messages, problems: Messages) -> IntentRow:
    key = row.key
    title = _title(row)
    beside = problems.get(f"intent-{key}", ())
    own = {f"{field}-{key}" for field in ("name", "label", "description", "recording")}
    wrong = any(field in own or field.startswith((f"example-{key}-", f"term-{key}-")) for field in errors)
    is_new = not (row.name or row.label) and key != FALLBACK
    return IntentRow(
        key=key,
        title=title,
        is_fallback=key == FALLBACK,
        removed=row.removed,
        is_new=is_new,
        name=_entry(f"name-{key}", row.name, errors),
        label=_entry(f"label-{key}", row.label, errors),
        description=_entry(f"description-{key}", row.description, errors),
        recording=_entry(f"recording-{key}", row.recording, errors),
        ticks=tuple(
            Tick(
                kind=kind.kind,
                sentence=f"{title} may reach {kind.title}",
                checked=kind.kind in row.kinds,
            )
            for kind in kinds
        ),
        examples=tuple(_entry(f"example-{key}-{number}", text, errors) for number, text in enumerate(row.examples)),
        terms=tuple(
            Entry(
                id=f"term-{key}-{number}",
                value=term.text,
                errors=errors.get(f"term-{key}-{number}", ()),
                decisive=term.decisive,
            )
            for number, term in enumerate(row.terms)
        ),
        problems=beside,
        open=wrong or bool(beside) or is_new,
    )


def _budget_row(row: BudgetFields, errors: Messages, problems: Messages) -> BudgetRow:
    kind = row.kind
    details = ("called", "about", "samples", "class", "source", "uploader", "corrector", "remover")
    is_new = not (row.label or row.cap)
    return BudgetRow(
        kind=kind,
        title=row.title,
        heading=_entry(f"heading-{kind}", row.label, errors),
        cap=_entry(f"cap-{kind}", row.cap, errors),
        position=_entry(f"position-{kind}", row.position, errors),
        name=_entry(f"called-{kind}", row.name, errors),
        description=_entry(f"about-{kind}", row.description, errors),
        examples=_entry(f"samples-{kind}", "\n".join(row.examples), errors),
        retention_class=_entry(f"class-{kind}", row.retention_class, errors),
        source_category=_entry(f"source-{kind}", row.source_category, errors),
        rights=tuple(_right_rows(row, errors)),
        retired=row.retired,
        left_out=row.left_out,
        is_new=is_new,
        open=is_new or any(f"{field}-{kind}" in errors for field in details),
        problems=problems.get(f"budget-{kind}", ()),
    )


def _right_rows(row: BudgetFields, errors: Messages) -> Iterator[RightRow]:
    for right, name, legend, hint, ticked in (
        (Right.UPLOAD, "uploader", "Who may upload it", "everybody who may add documents", row.uploaders),
        (Right.CORRECT, "corrector", "Who may correct its documents", "whoever may upload them", row.correctors),
        (Right.REMOVE, "remover", "Who may propose their removal", "everybody who may propose one", row.removers),
    ):
        boxes = [RoleBox(role=role.value, label=str(role.label), checked=role.value in ticked) for role in right.roles]
        entry = _entry(f"{name}-{row.kind}", "", errors)
        yield RightRow(legend=legend, hint=hint, boxes=tuple(boxes), entry=entry)


def _entry(field: str, value: str, errors: Messages) -> Entry:
    return Entry(id=field, value=value, errors=errors.get(field, ()))
