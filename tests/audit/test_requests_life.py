"""The database's edges are those of the table; who may take them, and in whose name."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from apps.privacy.codes.life import (
    ANSWER,
    ANSWERED,
    EDGES,
    FINISHED,
    OPEN,
    By,
    RequestState,
    can_end,
    who_may,
)

S = RequestState
_SQL: Final = (Path(__file__).parents[2] / "apps/audit/sql/requests.sql").read_text(encoding="utf-8")
_STEP: Final = _SQL.split("FUNCTION audit_request_step()", 1)[1].split("$$;", 1)[0]
# Whom the database asks for, after the steps that it lets them take.
_ASKED: Final = {
    By.MANAGER: r"THEN\s+IF NOT manages",
    By.SECOND: r"THEN\s+IF is_platform OR NOT authz\.may\('privacy\.approve'\)",
    By.PLATFORM: r"THEN\s+IF NOT is_platform",
}


@pytest.mark.parametrize("by", _ASKED)
def test_the_database_holds_the_edges_of_the_table(by: By) -> None:
    (steps,) = re.findall(rf"step IN \(([^)]+)\) {_ASKED[by]}", _STEP)
    edges = {edge for edge, who in EDGES.items() if who is by} | ({ANSWER} if by is By.MANAGER else set())
    assert set(re.findall("'(.*?)'", steps)) == {f"{before} to {after}" for before, after in edges}


def test_one_edge_is_taken_by_either_and_the_database_names_it() -> None:
    assert [edge for edge, who in EDGES.items() if who is By.EITHER] == [(S.AWAITING_APPROVAL, S.INVENTORY_READY)]
    assert "step = 'awaiting_approval to inventory_ready' THEN" in _STEP


def test_nothing_leads_out_of_what_is_finished() -> None:
    assert not [edge for edge in EDGES if edge[0] in FINISHED]


def test_every_state_is_reached_and_every_open_one_can_be_left() -> None:
    reached, todo = {S.RECEIVED}, [S.RECEIVED]
    while todo:
        state = todo.pop()
        for before, after in EDGES:
            if before is state and after not in reached:
                reached.add(after)
                todo.append(after)
    assert reached == set(S)
    assert {before for before, _ in EDGES} >= OPEN


def test_no_person_can_end_what_is_being_erased() -> None:
    for before, after in product(S, (S.REFUSED, S.WITHDRAWN)):
        assert (who_may(before, after) is By.MANAGER) == can_end(before)
    assert not any(can_end(state) for state in (S.RESTRICTED, S.EXECUTING, S.VERIFYING, S.FAILED, *ANSWERED))


def test_erasing_begins_with_an_approval_by_a_second_person_and_with_nothing_else() -> None:
    assert [before for (before, after) in EDGES if after is S.RESTRICTED] == [S.AWAITING_APPROVAL]
    assert EDGES[S.AWAITING_APPROVAL, S.RESTRICTED] is By.SECOND
    into = [before for (before, after) in EDGES if after is S.EXECUTING]
    assert into == [S.RESTRICTED, S.FAILED, S.PARTIALLY_COMPLETED]


def test_a_request_for_access_goes_no_way_on_which_something_is_removed() -> None:
    edges = {(before, after) for before, after in product(S, S) if who_may(before, after, is_access=True)}
    assert {after for _, after in edges} == {
        S.IDENTITY_PENDING,
        S.ASSESSING,
        S.INVENTORY_READY,
        S.COMPLETED,
        S.REFUSED,
        S.WITHDRAWN,
    }
    assert {who_may(*edge, is_access=True) for edge in edges} == {By.MANAGER}
    assert edges - EDGES.keys() == {ANSWER}
    assert who_may(*ANSWER) is None
