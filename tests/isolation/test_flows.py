"""Every flow that takes two people, as the database holds it by its table alone: each pair of states, each step.

All other triggers, the policies and the constraints of the flow's table are taken away, so that nothing but the flow's
own trigger refuses; without that one, everything is let through. Who attacks holds every permission that there is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final
from uuid import UUID

import pytest
from django.conf import settings
from django.db.migrations.loader import MigrationLoader

from apps.audit.ids import new_id
from apps.erasure.contracts import Origin, Target, TargetType
from apps.erasure.log_removal import RemovalReason
from apps.erasure.retention.services import draft_start
from apps.erasure.runs.runs import run_propose
from apps.privacy.codes.requests import Requester, SubjectType
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.context import open_scope
from apps.tenants.flows.operation import TRIGGER, HoldFlow, triggers
from apps.tenants.flows.table import By, Flow, Step
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import as_, make_member
from tests.intents.steps import draft
from tests.isolation.harness import changed, outcome, sql
from tests.isolation.world import World
from tests.kept import send_question

THROUGH: Final = "it was let through"
_FLOWS: Final = {
    operation.flow.name: operation.flow
    for _, migration in sorted(MigrationLoader(None).disk_migrations.items())
    for operation in migration.operations
    if isinstance(operation, HoldFlow)
}
_ALONE: Final = """
    DO $$
    DECLARE
        found record;
    BEGIN
        FOR found IN SELECT conname AS name FROM pg_constraint
                      WHERE conrelid = '{table}'::regclass AND contype IN ('c', 'x') LOOP
            EXECUTE format('ALTER TABLE {table} DROP CONSTRAINT %I', found.name);
        END LOOP;
        FOR found IN SELECT indexrelid::regclass AS name FROM pg_index
                      WHERE indrelid = '{table}'::regclass AND indisunique AND indpred IS NOT NULL LOOP
            EXECUTE format('DROP INDEX %s', found.name);
        END LOOP;
    END
    $$;
    ALTER TABLE {table} DISABLE TRIGGER USER;
    ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
    ALTER TABLE {table} ALTER COLUMN {author} DROP NOT NULL;
    GRANT UPDATE ON {table} TO {role}, glassbox_eraser
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a flow, whose author asked for what another person decides on. Both hold every permission."""

    tenant: UUID
    id: UUID
    author: Principal
    other: Principal


def request_row(author: Principal) -> UUID:
    given = {"subject_type": SubjectType.TENANT, "requester": Requester.FIRM, "details": Details()}
    return request_receive(**given).id  # type: ignore[arg-type]


def run_row(author: Principal) -> UUID:
    """A run of a document that is not there any more: no store is asked for it before the run is carried out."""
    target = Target(type=TargetType.DOCUMENT, id=new_id())
    return run_propose(Origin.REMOVAL, target.id, [target], RemovalReason.DUPLICATE).id


ROWS: Final[Mapping[str, Callable[[Principal], UUID]]] = {
    "request": request_row,
    "policy version": lambda author: draft(number=9).id,
    "retention schedule": lambda author: draft_start(reason="A test.").id,
    "removal run": run_row,
    "sent question": lambda author: send_question(author, "What is it about?", scope_ids=author.scope_ids),
}


def test_every_flow_that_a_migration_holds_is_tried() -> None:
    assert ROWS.keys() == _FLOWS.keys()


@pytest.fixture(params=_FLOWS.values(), ids=_FLOWS)
def flow(request: pytest.FixtureRequest, committed_ground: None) -> Flow:
    """The ground for the tests that look at the database alone: without it, the first of them may not."""
    found: Flow = request.param
    return found


@pytest.fixture(scope="module")
def rows(world: World) -> dict[str, Row]:
    """The row of each flow, by its name; each is made by the first test of that flow, in whichever order they run."""
    return {}


@pytest.fixture
def row(world: World, flow: Flow, rows: dict[str, Row]) -> Row:
    if flow.name not in rows:
        rows[flow.name] = _made(world, flow)
    return rows[flow.name]


def _made(world: World, flow: Flow) -> Row:
    named = flow.name.replace(" ", "-")
    author, other = (make_member(world.acme, f"{named}-{name}", Role.DPO) for name in ("author", "other"))
    author, other = (replace(each, roles=frozenset(Role)) for each in (author, other))
    with as_(author):
        return Row(tenant=world.acme.id, id=ROWS[flow.name](author), author=author, other=other)


@contextmanager
def alone(flow: Flow, *, held: bool) -> Iterator[None]:
    """Nothing but the flow's trigger stands; and not even that."""
    lone = _ALONE.format(table=flow.table, author=flow.author, role=settings.GLASSBOX_DB_ROLE)
    held_so = f"ALTER TABLE {flow.table} {'ENABLE' if held else 'DISABLE'} TRIGGER {TRIGGER}"
    with changed(lone, held_so):
        yield


def placed(flow: Flow, row: Row, values: Mapping[str, Any]) -> None:
    """Put the row where an attack begins, past every trigger."""
    sql("RESET ROLE; SET LOCAL session_replication_role = replica")
    sql(
        f"UPDATE {flow.table} SET {', '.join(f'{name} = %s' for name in values)} WHERE id = %s",
        *values.values(),
        row.id,
    )
    sql(f"SET LOCAL session_replication_role = origin; SET LOCAL ROLE {settings.GLASSBOX_DB_ROLE}")


def update(flow: Flow, row: Row, who: Principal | None, values: Mapping[str, Any], role: str = "") -> str:
    """What comes of this plain update, in somebody's name or the platform's; it is undone."""

    def attack() -> str:
        if role:
            sql(f"SET LOCAL ROLE {role}")
        with open_scope(tenant=row.tenant, principal=who, reason="" if who else "a test"):
            sets = ", ".join(f"{name} = %s" for name in values)
            sql(f"UPDATE {flow.table} SET {sets} WHERE id = %s", *values.values(), row.id)
            return THROUGH

    return outcome(attack, undone=True)


def kinds(flow: Flow, row: Row) -> list[dict[str, str]]:
    """The rows that the table of steps tells apart, such as requests for access and for erasure; the first as it is."""
    columns = sorted({column for step in flow.steps for column in step.where})
    found = [{column: str(sql(f"SELECT {column} FROM {flow.table} WHERE id = %s", row.id)[0][0]) for column in columns}]
    for step in flow.steps:
        if (kind := {**found[0], **step.where}) not in found:
            found.append(kind)
    return found


def ways(flow: Flow, before: str, after: str, kind: Mapping[str, str]) -> list[Step]:
    return [
        step
        for step in flow.steps
        if before in step.before and step.after == after and step.where.items() <= kind.items()
    ]


def step_of(flow: Flow, step: Step, person: Principal | None) -> dict[str, Any]:
    """The step's own columns, signed by this person."""
    required = dict.fromkeys(step.requires, "2026-01-01T00:00:00Z")
    signed = {step.signed: person.id if person else None} if step.signed else {}
    return {flow.state: step.after, **required, **signed}


def beginning(flow: Flow, row: Row, step: Step, before: str) -> dict[str, Any]:
    return {**step.where, flow.state: before, step.author or flow.author: row.author.id}


def refused(flow: Flow, brought: str) -> bool:
    """Whether the trigger of the flow refused it, and nothing else."""
    return THROUGH not in brought and "tenants_flow_step()" in brought


def takes(row: Row, step: Step) -> Principal | None:
    """Who takes a step by rights."""
    if step.by is By.AUTHOR:
        return row.author
    return None if step.by in (By.PLATFORM, By.ERASER) else row.other


def test_every_pair_of_states_that_is_no_step_is_refused(flow: Flow, row: Row) -> None:
    for held in (False, True):
        with alone(flow, held=held):
            with open_scope(tenant=row.tenant, principal=row.author):
                told_apart = kinds(flow, row)
            for kind, before, after in product(told_apart, flow.states, flow.states):
                if before == after or ways(flow, before, after, kind):
                    continue
                placed(flow, row, {**kind, flow.state: before, flow.author: row.author.id})
                for who in (row.author, row.other, None):
                    brought = update(flow, row, who, {flow.state: after})
                    wrong = (kind, before, after, who and who.label, brought)
                    assert refused(flow, brought) if held else brought == THROUGH, wrong


def test_every_step_is_taken_by_whom_the_table_names(flow: Flow, row: Row) -> None:
    with alone(flow, held=True):
        for step in flow.steps:
            for before in step.before:
                placed(flow, row, beginning(flow, row, step, before))
                who = takes(row, step)
                role = "glassbox_eraser" if step.by is By.ERASER else ""
                values = step_of(flow, step, who)
                brought = update(flow, row, who, values, role)
                if step.by is By.DATABASE:
                    assert refused(flow, brought), (step.name, before, brought)
                else:
                    assert brought == THROUGH, (step.name, before, brought)


def test_nobody_takes_a_step_that_is_not_theirs(flow: Flow, row: Row) -> None:
    """The author decides on nothing of their own, nobody decides without the permission or in another's name."""
    bare = replace(row.other, roles=frozenset())
    for held in (False, True):
        with alone(flow, held=held):
            for step, before in ((each, before) for each in flow.steps for before in each.before):
                attacks: list[tuple[Principal | None, dict[str, Any]]] = []
                # Another way to take the same step may be theirs.
                lone = len(ways(flow, before, step.after, step.where)) == 1
                if step.by is By.SECOND and lone:
                    attacks += [(row.author, step_of(flow, step, each)) for each in (row.author, row.other)]
                if step.by in (By.PLATFORM, By.ERASER, By.DATABASE):
                    attacks += [(each, step_of(flow, step, each)) for each in (row.author, row.other)]
                if step.by in (By.SECOND, By.PERSON) and lone:
                    attacks.append((None, step_of(flow, step, row.other)))
                if step.by is By.AUTHOR and lone:
                    attacks.append((row.other, step_of(flow, step, row.other)))
                if step.may:
                    attacks.append((bare, step_of(flow, step, bare)))
                if all(each.signed for each in ways(flow, before, step.after, step.where)):
                    attacks.append((takes(row, step), step_of(flow, step, None)))
                    attacks.append((row.other, step_of(flow, step, row.author)))
                attacks += [
                    (takes(row, step), {**step_of(flow, step, takes(row, step)), column: None})
                    for column in step.requires
                ]
                placed(flow, row, beginning(flow, row, step, before))
                for who, values in attacks:
                    brought = update(flow, row, who, values)
                    wrong = (step.name, before, who and who.label, values, brought)
                    assert refused(flow, brought) if held else brought == THROUGH, wrong


def test_what_a_step_sets_changes_with_no_other(flow: Flow, row: Row) -> None:
    types = dict(
        sql(
            "SELECT column_name::text, data_type::text FROM information_schema.columns WHERE table_name = %s",
            flow.table,
        )
    )
    values: dict[str, Any] = {"uuid": row.other.id, "timestamp with time zone": "2026-01-01T00:00:00Z", "bytea": b"x"}
    for held in (False, True):
        with alone(flow, held=held):
            for state, column in product(flow.states, flow.columns):
                placed(flow, row, {flow.state: state})
                brought = update(flow, row, row.other, {column: values.get(types[column], "x")})
                assert refused(flow, brought) if held else brought == THROUGH, (state, column, brought)


def sample_values(flow: Flow, row: Row) -> dict[str, Any]:
    """A value for each column of the flow, that it does not have where an attack begins."""
    values: dict[str, Any] = {
        "uuid": str(row.other.id),
        "timestamp with time zone": "2026-01-01T00:00:00Z",
        "bytea": "\\x78",
    }
    found = sql(
        "SELECT column_name::text, data_type::text FROM information_schema.columns "
        "WHERE table_name = %s AND column_name = ANY (%s)",
        flow.table,
        list(flow.columns),
    )
    return {column: values.get(kind, "x") for column, kind in found}


def emptied(flow: Flow, row: Row) -> dict[str, Any]:
    """The columns of the flow as they begin."""
    return {column: "" if value == "x" else None for column, value in sample_values(flow, row).items()}


def test_a_row_begins_in_the_first_state_with_nothing_decided(flow: Flow, row: Row) -> None:
    """No row is inserted past a step, nor with what a step would have set."""
    copied = (
        f"INSERT INTO {flow.table} SELECT (jsonb_populate_record(given, %s)).* FROM {flow.table} AS given WHERE id = %s"
    )
    first = {flow.state: flow.states[0]}
    for held in (False, True):
        with alone(flow, held=held):
            begun = {**emptied(flow, row), flow.author: str(row.author.id)}
            placed(flow, row, {**begun, **first})
            wrong = [{flow.state: state} for state in flow.states[1:]]
            wrong += [{**first, column: value} for column, value in sample_values(flow, row).items()]
            wrong += [{flow.state: None}, {flow.state: "unknown"}]
            for values in [first, *wrong]:
                # The author of a request for erasure proposes it, and is none of what begins.
                asked = {} if flow.author in flow.columns else {flow.author: str(row.author.id)}
                given = {
                    **emptied(flow, row),
                    **asked,
                    "id": str(new_id()),
                    "event_id": str(new_id()),
                    "number": 77,
                    **values,
                }

                def attack(given: Mapping[str, Any] = given) -> str:
                    with open_scope(tenant=row.tenant, principal=row.author):
                        sql(copied, json.dumps(given), row.id)
                        return THROUGH

                brought = outcome(attack, undone=True)
                if values == first or not held:
                    assert brought == THROUGH or values == {flow.state: None}, (values, brought)
                else:
                    assert refused(flow, brought), (values, brought)


def test_a_step_sets_nothing_of_another_step(flow: Flow, row: Row) -> None:
    """Whoever takes a step by rights decides nothing else in the same statement."""
    for held in (False, True):
        with alone(flow, held=held):
            values = sample_values(flow, row)
            for step, before in ((each, before) for each in flow.steps for before in each.before):
                if step.by is By.DATABASE:
                    continue
                start = {**emptied(flow, row), **beginning(flow, row, step, before)}
                placed(flow, row, start)
                role = "glassbox_eraser" if step.by is By.ERASER else ""
                taken = step_of(flow, step, takes(row, step))
                for column in values.keys() - set(step.sets) - {flow.author}:
                    brought = update(flow, row, takes(row, step), {**taken, column: values[column]}, role)
                    wrong = (step.name, before, column, brought)
                    assert refused(flow, brought) if held else brought == THROUGH, wrong


def test_a_step_is_judged_by_the_row_as_it_was(flow: Flow, row: Row) -> None:
    """Nobody makes a step theirs in the statement that takes it: by another author, or by another kind of row."""
    for held in (False, True):
        with alone(flow, held=held):
            with open_scope(tenant=row.tenant, principal=row.author):
                told_apart = kinds(flow, row)
            for step, before in ((each, before) for each in flow.steps for before in each.before):
                attacks: list[tuple[dict[str, Any], Principal | None, dict[str, Any]]] = []
                lone = len(ways(flow, before, step.after, step.where)) == 1
                asked = step.author or flow.author
                start = beginning(flow, row, step, before)
                if step.by is By.SECOND and lone:
                    own = step_of(flow, step, row.author)
                    attacks += [(start, row.author, {**own, asked: other}) for other in (row.other.id, None)]
                if step.by is By.AUTHOR and lone:
                    attacks.append((start, row.other, {**step_of(flow, step, row.other), asked: row.other.id}))
                for kind in told_apart:
                    if step.by is not By.DATABASE and not ways(flow, before, step.after, kind):
                        taken = {**step_of(flow, step, takes(row, step)), **step.where}
                        attacks.append(({**start, **kind}, takes(row, step), taken))
                for place, who, values in attacks:
                    placed(flow, row, place)
                    brought = update(flow, row, who, values)
                    wrong = (step.name, place, who and who.label, values, brought)
                    assert refused(flow, brought) if held else brought == THROUGH, wrong


def test_no_other_statement_goes_round_the_steps(flow: Flow, row: Row) -> None:
    """MERGE, an insertion that meets the row, a value from another table, a change within a question."""
    start, after = next(
        (before, after)
        for before, after in product(flow.states, reversed(flow.states))
        if before != after and not flow.leads(before, after)
    )
    copy = f"SELECT (jsonb_populate_record(given, '{{}}')).* FROM {flow.table} AS given WHERE id = %s"
    statements = (
        f"MERGE INTO {flow.table} AS held USING (SELECT %s::uuid AS id) AS named ON held.id = named.id "
        f"WHEN MATCHED THEN UPDATE SET {flow.state} = '{after}'",
        f"INSERT INTO {flow.table} {copy} ON CONFLICT (tenant_id, id) DO UPDATE SET {flow.state} = '{after}'",
        f"UPDATE {flow.table} AS held SET {flow.state} = named.state "
        f"FROM (SELECT %s::uuid AS id, '{after}' AS state) AS named WHERE held.id = named.id",
        f"WITH changed AS (UPDATE {flow.table} SET {flow.state} = '{after}' WHERE id = %s RETURNING id) "
        "SELECT count(*) FROM changed",
    )
    for held in (False, True):
        with alone(flow, held=held):
            asked = None if flow.author in flow.columns else row.author.id
            placed(flow, row, {**emptied(flow, row), flow.author: asked, flow.state: start})
            for statement in statements:

                def attack(statement: str = statement) -> str:
                    with open_scope(tenant=row.tenant, principal=row.author):
                        sql(statement, row.id)
                        return THROUGH

                brought = outcome(attack, undone=True)
                assert refused(flow, brought) if held else brought == THROUGH, (statement, brought)


def test_the_table_of_steps_is_the_one_in_the_database(flow: Flow) -> None:
    """A flow that changed is held anew by a migration."""
    found = dict(
        sql(
            "SELECT tgname::text, pg_get_triggerdef(oid) FROM pg_trigger "
            "WHERE tgrelid = %s::regclass AND tgname = ANY (%s)",
            flow.table,
            list(triggers(flow)),
        )
    )
    for name, function in triggers(flow).items():
        assert found[name].endswith(f"EXECUTE FUNCTION {function}"), name


def test_no_role_of_the_application_changes_the_table_of_steps(flow: Flow) -> None:
    for statement in (f"DROP TRIGGER {TRIGGER} ON {flow.table}", f"ALTER TABLE {flow.table} DISABLE TRIGGER {TRIGGER}"):
        assert "must be owner" in outcome(lambda statement=statement: sql(statement))  # type: ignore[misc]
