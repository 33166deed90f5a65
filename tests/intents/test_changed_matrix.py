"""The matrix of a change: every cell of both versions, and which of them differ."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.kinds import Kind
from apps.intents.baseline import baseline_snapshot
from apps.intents.changed_matrix import ChangedMatrix, Standing, changed_matrix
from apps.intents.contracts import PolicySnapshot
from apps.intents.fund_house import FundHouse

BASE = baseline_snapshot()
KINDS = BASE.kinds


def with_kinds(snapshot: PolicySnapshot, name: str, *kinds: Kind) -> PolicySnapshot:
    rules = tuple(replace(rule, kinds=kinds) if rule.name == name else rule for rule in snapshot.intents)
    return replace(snapshot, intents=rules)


def changed(matrix: ChangedMatrix) -> set[tuple[str, str, str]]:
    return {(cell.intent, cell.kind, "added" if cell.is_added else "removed") for cell in matrix.changed}


def test_equal_policies_have_no_changed_cell() -> None:
    matrix = changed_matrix(BASE, BASE)
    assert matrix.changed == ()
    assert not matrix.total_changes
    assert not any(column.cap_changes or column.priority_changes for column in matrix.columns)
    assert matrix.size == (len(BASE.intents) + 1) * len(KINDS)


def test_a_tick_that_came_and_one_that_went_are_told_apart() -> None:
    after = with_kinds(BASE, "performance", FundHouse.RUN, FundHouse.SCHEDULE)
    assert changed(changed_matrix(BASE, after)) == {
        ("performance", "schedule", "added"),
        ("performance", "fund_profile", "removed"),
        ("performance", "dataset_summary", "removed"),
    }


def test_the_fallback_is_the_last_row_by_its_name_in_the_database() -> None:
    after = replace(BASE, fallback=replace(BASE.fallback, kinds=(FundHouse.RUN,)))
    matrix = changed_matrix(BASE, after)
    assert matrix.rows[-1].is_fallback
    assert changed(matrix) == {("unrecognised", "run", "added"), ("unrecognised", "org_profile", "removed")}


def test_a_new_intent_is_new_in_every_cell_and_a_removed_one_stays_in_sight() -> None:
    first, *rest = BASE.intents
    after = replace(BASE, intents=(replace(first, name="returns", label="Returns"), *rest))
    matrix = changed_matrix(BASE, after)
    rows = {row.name: row for row in matrix.rows}
    assert (rows["returns"].standing, rows["performance"].standing) == (Standing.NEW, Standing.GONE)
    assert {cell.before for cell in rows["returns"].cells} == {None}
    assert {cell.after for cell in rows["performance"].cells} == {None}
    assert len(matrix.changed) == 2 * len(first.kinds)


def test_a_kind_that_is_gone_is_the_last_column_and_what_it_permitted_is_withheld() -> None:
    gone = KINDS[0]
    rules = tuple(replace(rule, kinds=tuple(kind for kind in rule.kinds if kind != gone)) for rule in BASE.intents)
    fallback = replace(BASE.fallback, kinds=tuple(kind for kind in BASE.fallback.kinds if kind != gone))
    budgets = tuple(budget for budget in BASE.budgets if budget.kind != gone)
    matrix = changed_matrix(BASE, replace(BASE, intents=rules, fallback=fallback, budgets=budgets))
    last = matrix.columns[-1]
    assert (last.kind, last.standing, last.cap_after) == (gone.value, Standing.GONE, None)
    assert {kind for _, kind, _ in changed(matrix)} == {gone.value}


def test_a_cap_and_a_priority_show_what_they_were() -> None:
    budgets = list(BASE.budgets)
    budgets[0] = replace(budgets[0], cap_chars=4096, position=budgets[1].position)
    budgets[1] = replace(budgets[1], position=BASE.budgets[0].position)
    matrix = changed_matrix(BASE, replace(BASE, budgets=tuple(budgets), total_cap_chars=9000))
    column = next(each for each in matrix.columns if each.kind == budgets[0].kind.value)
    assert (column.cap_before, column.cap_after) == (BASE.budgets[0].cap_chars, 4096)
    assert (column.priority_before, column.priority_after) == (1, 2)
    assert (matrix.total_before, matrix.total_after) == (BASE.total_cap_chars, 9000)


SETS = st.lists(st.sampled_from(KINDS), unique=True).map(tuple)


@given(before=SETS, after=SETS)
def test_the_changed_cells_of_an_intent_are_the_difference_of_its_sets(
    before: tuple[Kind, ...], after: tuple[Kind, ...]
) -> None:
    matrix = changed_matrix(with_kinds(BASE, "attribution", *before), with_kinds(BASE, "attribution", *after))
    assert changed(matrix) == {
        *(("attribution", kind.value, "added") for kind in set(after) - set(before)),
        *(("attribution", kind.value, "removed") for kind in set(before) - set(after)),
    }
