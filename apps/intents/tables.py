"""Policies and checks as tables for a terminal."""

from __future__ import annotations

from rich.table import Table

from apps.corpus.kinds import Kind
from apps.intents.check import GoldenCheck
from apps.intents.contracts import UNRECOGNISED, PolicySnapshot
from apps.tenants.figures import shares_told_apart


def policy_tables(snapshot: PolicySnapshot) -> tuple[Table, ...]:
    """Return the tables of one policy version: its intents with their kinds, and its budgets."""
    return _intent_table(snapshot), _budget_table(snapshot)


def _intent_table(snapshot: PolicySnapshot) -> Table:
    table = Table(
        title=f"Policy version {snapshot.number} ({snapshot.status})",
        caption=_life(snapshot),
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("intent")
    table.add_column("may reach", overflow="fold")
    table.add_column("examples", justify="right")
    table.add_column("recording")
    for rule in snapshot.intents:
        examples = sum(1 for example in snapshot.examples if example.intent == rule.name)
        table.add_row(rule.name, _kinds(rule.kinds), str(examples), rule.recording_mode.value)
    counter_examples = sum(1 for example in snapshot.examples if example.intent == UNRECOGNISED)
    table.add_row(
        f"({snapshot.fallback.label.lower()})",
        _kinds(snapshot.fallback.kinds),
        str(counter_examples),
        snapshot.fallback.recording_mode.value,
        style="italic",
    )
    return table


def _budget_table(snapshot: PolicySnapshot) -> Table:
    table = Table(
        title="Kind budgets, highest priority first",
        caption=f"Total cap: {snapshot.total_cap_chars:,} characters",
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("", justify="right")
    table.add_column("kind")
    table.add_column("label")
    table.add_column("cap, characters", justify="right")
    for budget in snapshot.budgets:
        table.add_row(str(budget.position), budget.kind.value, budget.label, f"{budget.cap_chars:,}")
    return table


def check_tables(check: GoldenCheck, snapshot: PolicySnapshot) -> tuple[Table, ...]:
    """Return the confusion matrix, and the misclassified examples if there are any."""
    names = [*(rule.name for rule in snapshot.intents), UNRECOGNISED]
    cells = {(cell.expected, cell.given): cell.examples for cell in check.confusion}
    matrix = Table(title="Expected (down) and given (across)", title_justify="left")
    matrix.add_column("")
    for name in names:
        matrix.add_column(_name(name), justify="right")
    for expected in names:
        matrix.add_row(_name(expected), *(str(cells.get((expected, given), "")) for given in names))
    if not check.misclassified:
        return (matrix,)
    wrong = Table(title="Examples that went elsewhere", title_justify="left")
    for heading in ("example", "expected", "given"):
        wrong.add_column(heading, overflow="fold")
    for row in check.misclassified:
        wrong.add_row(row.text, _name(row.expected), _name(row.given))
    return matrix, wrong


def check_verdict(check: GoldenCheck) -> str:
    """Return one line with the accuracy and the policy's own minimum."""
    how = "terms alone" if check.degraded else "embeddings and terms"
    verdict = "reaches" if check.accuracy >= check.minimum_accuracy else "does not reach"
    accuracy, bar = shares_told_apart(check.accuracy, check.minimum_accuracy, digits=1)
    unreachable = f" No question reaches {', '.join(check.unreachable)}." if check.unreachable else ""
    return (
        f"{check.correct} of {check.examples} review examples get their intent without themselves ({how}): "
        f"{accuracy}, which {verdict} the bar of {bar}."
        f"{unreachable}"
    )


def _life(snapshot: PolicySnapshot) -> str:
    start = f"{snapshot.valid_from:%Y-%m-%d %H:%M} UTC" if snapshot.valid_from else "not yet"
    end = f" until {snapshot.valid_to:%Y-%m-%d %H:%M} UTC" if snapshot.valid_to else ""
    approver = snapshot.approver_label or "nobody: the shipped baseline needs no approval"
    return (
        f"In force from {start}{end}. Author: {snapshot.author_label or 'unknown'}. Approved by {approver}. "
        f"Reason: {snapshot.reason}"
    )


def _kinds(kinds: tuple[Kind, ...]) -> str:
    return ", ".join(kind.value for kind in kinds)


def _name(intent: str) -> str:
    return intent or "(unrecognised)"
