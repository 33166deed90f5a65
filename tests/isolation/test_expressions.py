"""Conditions of every kind, made up and asked in databases that differ only in what hidden rows hold.

What a condition brings home must be the same from both: rows, errors and their texts, and what EXPLAIN ANALYZE counts.
With a scope open, rows and errors are those of a database that has no hidden rows at all, too. Not by a list of
attacks: by PostgreSQL's own grammar of expressions. A new release is tried with

    GLASSBOX_EXPRESSIONS=500 python3 manage.py test tests/isolation/test_expressions.py

which asks so many statements of each table with each token; GLASSBOX_EXPRESSIONS_SEED repeats a run.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.conf import settings

from apps.tenants.ids import ScopeId, TenantId, UserId
from apps.tenants.tokens import Bearer, Identity, identity_token, scope_token
from tests.conftest import admin_dsn
from tests.isolation.statements import WAYS, Statement, statements
from tests.isolation.twins import (
    NEW_NAME,
    SCOPE,
    TENANT,
    Table,
    literal,
    named,
    own_value,
    tables,
    twin_databases,
)

COUNT = int(os.environ.get("GLASSBOX_EXPRESSIONS", "12"))
# The suite's own few are always the same; whoever asks for more gets others each time.
SEED = os.environ.get("GLASSBOX_EXPRESSIONS_SEED") or (
    secrets.token_hex(4) if "GLASSBOX_EXPRESSIONS" in os.environ else "ci"
)
CONTROLS = 150
# A token is good for a minute.
_A_TOKEN = 100
Token = Callable[[Bearer], str]
Outcome = tuple[str, str]
# A new session reads the catalogue before it answers: one a database is kept, without anything of what was asked.
_kept: dict[str, psycopg.Connection[Any]] = {}


def _narrow(bearer: Bearer) -> str:
    scopes = [ScopeId(SCOPE), ScopeId(named("own", 0))]
    return scope_token(key=settings.GLASSBOX_SCOPE_KEYS[0], bearer=bearer, tenant=TenantId(TENANT), scopes=scopes)


def _managing(bearer: Bearer) -> str:
    return scope_token(
        key=settings.GLASSBOX_SCOPE_KEYS[0],
        bearer=bearer,
        tenant=TenantId(TENANT),
        scopes=[ScopeId(SCOPE), ScopeId(named("own", 0))],
        # All but privacy's, which show a restricted document.
        permissions=["member.manage", "key.manage", "scope.manage", "tenant.manage", "audit.view"],
    )


def _outsider(bearer: Bearer) -> str:
    """Of a tenant that has nothing, so that no row of its own hides what a condition found among the others."""
    return scope_token(
        key=settings.GLASSBOX_SCOPE_KEYS[0],
        bearer=bearer,
        tenant=TenantId(named("tenant", "outsider")),
        scopes=[ScopeId(named("scope", "outsider"))],
    )


def _signing_in(bearer: Bearer) -> str:
    return identity_token(
        key=settings.GLASSBOX_SCOPE_KEYS[0],
        bearer=bearer,
        identity=Identity(user=UserId(named("own", 0)), key_prefix="m000", username=NEW_NAME, session="m000"),
    )


TOKENS: dict[str, tuple[str, Token] | None] = {
    "none": None,
    "narrow": ("glassbox.scope", _narrow),
    "outsider": ("glassbox.scope", _outsider),
    "manager": ("glassbox.scope", _managing),
    "identity": ("glassbox.identity", _signing_in),
}


@pytest.fixture(scope="module")
def databases(django_db_setup: None) -> Iterator[dict[str, str]]:
    with twin_databases() as names:
        try:
            yield names
        finally:
            while _kept:
                _kept.popitem()[1].close()


@pytest.fixture(scope="module")
def walled(databases: dict[str, str]) -> list[Table]:
    return tables(databases["none"])


def asked(
    database: str, asking: list[Statement], token: tuple[str, Token] | None, *, opened: tuple[str, ...] = ()
) -> list[Outcome]:
    """What each statement brings home; every one is undone.

    Args:    opened: a superuser's statements that take a defence away, undone too.
    """
    found: list[Outcome] = []
    connection = _kept.get(database) or psycopg.connect(f"{admin_dsn()} dbname={database}", autocommit=True)
    _kept[database] = connection
    for start in range(0, len(asking), _A_TOKEN):
        with connection.transaction(force_rollback=True):
            for taken in opened:
                connection.execute(taken)
            connection.execute("SET LOCAL ROLE glassbox_api")
            if token is not None:
                _open(connection, *token)
            for each in asking[start : start + _A_TOKEN]:
                plain = _outcome(connection, each, each.text)
                counted = _outcome(connection, each, f"{_EXPLAIN} {each.text}") if each.explained else ""
                found.append((plain, counted))
        connection.execute("DISCARD ALL")
    return found


_EXPLAIN = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)"


def _open(connection: psycopg.Connection[Any], setting: str, mint: Token) -> None:
    row = connection.execute("SELECT pg_backend_pid(), authz.transaction_mark()").fetchone()
    assert row is not None
    token = mint(Bearer(backend_pid=row[0], transaction=row[1]))
    connection.execute("SELECT set_config(%s, %s, true)", [setting, token])


def _outcome(connection: psycopg.Connection[Any], statement: Statement, text: str) -> str:
    connection.execute("; ".join(("SAVEPOINT one", *WAYS[statement.way])))
    try:
        for each in statement.before:
            connection.execute(each)
        cursor = connection.execute(text)
        rows = "\n".join(map(str, cursor.fetchall())) if cursor.description else ""
    except psycopg.Error as error:
        told = error.diag
        # Which of the processes met the error is chance.
        where = (told.context or "").removesuffix("parallel worker").strip()
        return f"{error.sqlstate} {told.message_primary} {told.message_detail} {where}"
    else:
        return f"{cursor.rowcount} {rows}"
    finally:
        connection.execute("ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one")
        if any(each.startswith("PREPARE p ") for each in statement.before) and (
            connection.execute("SELECT 1 FROM pg_prepared_statements WHERE name = 'p'").fetchone()
        ):
            connection.execute("DEALLOCATE p")


def differences(
    databases: dict[str, str],
    asking: list[Statement],
    token: tuple[str, Token] | None,
    *,
    opened: tuple[str, ...] = (),
) -> list[str]:
    """What tells the databases apart, each time that it is asked: workers that did not start tell it once by chance."""
    told: list[str] = []
    for _ in range(3):
        low, high = (asked(databases[world], asking, token, opened=opened) for world in ("low", "high"))
        # Without a scope a statement raises where there is a row and not where there is none: that a table is empty.
        has_scope = token is not None and token[0] == "glassbox.scope"
        none = asked(databases["none"], asking, token, opened=opened) if has_scope else low
        apart = [
            (each, f"{each}\n  low:  {one}\n  high: {two}\n  none: {three}")
            for each, one, two, three in zip(asking, low, high, none, strict=True)
            if one != two or (not opened and one[0] != three[0])
        ]
        asking, told = [each for each, _ in apart], [text for _, text in apart]
        if not asking:
            break
    return told


@pytest.mark.slow
@pytest.mark.parametrize("name", TOKENS)
def test_what_hidden_rows_hold_changes_no_answer(name: str, databases: dict[str, str], walled: list[Table]) -> None:
    told = [
        difference
        for table in walled
        for difference in differences(databases, statements(table, f"{SEED} {name}", COUNT), TOKENS[name])
    ]
    assert not told, f"seed {SEED}: {len(told)} statements tell the databases apart:\n" + "\n".join(told[:10])


# What the database was before: conditions that cost nothing first, and everything LEAKPROOF that PostgreSQL marks.
UNORDERED = (
    "DO $$ DECLARE one text; BEGIN FOR one IN SELECT polrelid::regclass FROM pg_policy "
    "WHERE polname = 'conditions_in_order' LOOP EXECUTE 'DROP POLICY conditions_in_order ON ' || one; END LOOP; END $$",
    "SET LOCAL cpu_operator_cost = 0.0025",
)
MARKED = (
    "DO $$ DECLARE one regprocedure; BEGIN FOR one IN SELECT oid FROM pg_proc WHERE prorettype = 'boolean'::regtype "
    "AND proname ~ '^(text|uuid|timestamptz|int4)_?(lt|le|gt|ge)$' OR proname IN ('bttextcmp', 'uuid_cmp') "
    "LOOP EXECUTE format('ALTER FUNCTION %s LEAKPROOF', one); END LOOP; END $$",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("none", "corpus_document"),
        ("outsider", "corpus_document"),
        ("outsider", "tenants_user"),
    ],
)
def test_without_the_order_the_same_statements_tell(
    name: str, table: str, databases: dict[str, str], walled: list[Table]
) -> None:
    """The control of the one above: what it makes up does find what is open."""
    asking = statements(next(each for each in walled if each.name == table), "a control", CONTROLS)
    assert differences(databases, asking, TOKENS[name], opened=(*UNORDERED, *MARKED))
    assert not differences(databases, asking, TOKENS[name])


ALL = "SELECT 1 FROM {table} t WHERE {condition}"
_SEQUENTIAL = "sequential"


@pytest.mark.parametrize(
    ("name", "table", "condition"),
    [
        ("none", "corpus_document", "('{{\"m\": 1}}'::jsonb)[GREATEST(t.title, 'm')] IS NOT NULL"),
        ("none", "corpus_document", "('{{{flags}}}'::bool[])[t.page_count]"),
        ("narrow", "corpus_document", "('{{{flags}}}'::bool[])[t.page_count]"),
        ("none", "corpus_chunk", "('{{\"m\": 1}}'::jsonb)[GREATEST(t.text, 'm')] IS NOT NULL"),
        ("none", "tenants_apikey", "('{{\"m\": 1}}'::jsonb)[GREATEST(t.secret_sha256, 'm')] IS NOT NULL"),
        ("outsider", "tenants_user", "('{{\"m\": 1}}'::jsonb)[GREATEST(t.username, 'm')] IS NOT NULL"),
    ],
)
def test_a_condition_that_costs_nothing_reads_nothing(
    name: str, table: str, condition: str, databases: dict[str, str]
) -> None:
    """Titles, beginnings of passages, digests of keys and names were read so, quickly."""
    flags = ",".join("t" if 10 <= number < 20 else "f" for number in range(1, 61))
    asking = [Statement(way=_SEQUENTIAL, text=ALL.format(table=table, condition=condition.format(flags=flags)))]
    assert differences(databases, asking, TOKENS[name], opened=(*UNORDERED, *MARKED)), "a broken test: nothing was read"
    assert not differences(databases, asking, TOKENS[name])


def test_a_condition_on_the_tenant_does_not_run_before_a_restriction(databases: dict[str, str]) -> None:
    """The planner joins it to isolation's own; whether the list of hidden documents was asked for then told of them."""
    text = "SELECT 1 FROM corpus_document t WHERE t.tenant_id = CASE WHEN t.company = 'b100' THEN t.tenant_id END"
    asking = [Statement(way=_SEQUENTIAL, text=text)]
    later = ("ALTER POLICY hidden_by_restriction ON corpus_document RENAME TO restriction",)
    assert differences(databases, asking, TOKENS["narrow"], opened=later), "a broken test: nothing was read"
    assert not differences(databases, asking, TOKENS["narrow"])


@pytest.mark.parametrize(
    ("name", "text", "opened"),
    [
        (
            "narrow",
            "SELECT 1 FROM tenants_user t WHERE t.username < 'c'",
            (*MARKED, "CREATE INDEX told ON tenants_user (username)"),
        ),
        (
            "narrow",
            "SELECT 1 FROM tenants_session t WHERE t.expires_at < '2010-01-01'",
            (*MARKED, "CREATE INDEX told ON tenants_session (expires_at)"),
        ),
        ("narrow", "SELECT 1 FROM tenants_apikey t WHERE t.id < '7fffffff-ffff-ffff-ffff-ffffffffffff'", MARKED),
    ],
    ids=["names", "times", "ids"],
)
def test_an_index_is_not_searched_by_ranges(
    name: str, text: str, opened: tuple[str, ...], databases: dict[str, str]
) -> None:
    asking = [Statement(way="index", text=text)]
    assert differences(databases, asking, TOKENS[name], opened=opened), "a broken test: nothing was read"
    assert not differences(databases, asking, TOKENS[name])


def test_a_page_of_the_log_begins_at_its_time(databases: dict[str, str]) -> None:
    """The one range that an index serves under the policies: what it tells of other scopes the README admits."""
    page = (
        f"SELECT 1 FROM audit_event t WHERE t.tenant_id = '{TENANT}' AND t.occurred_at <= '2011-01-01' "
        "ORDER BY t.occurred_at DESC, t.id DESC LIMIT 10"
    )
    [(plain, counted)] = asked(databases["low"], [Statement(way="index", text=page)], TOKENS["narrow"])
    [condition] = [line for line in counted.splitlines() if "Index Cond" in line]
    assert "occurred_at" in condition
    assert plain.startswith("3 ")
    unmarked = ("ALTER FUNCTION timestamptz_le(timestamptz, timestamptz) NOT LEAKPROOF",)
    [(_, without)] = asked(databases["low"], [Statement(way="index", text=page)], TOKENS["narrow"], opened=unmarked)
    assert not [line for line in without.splitlines() if "Index Cond" in line and "occurred_at" in line]


def test_a_conflict_with_a_hidden_account_is_asked_nothing(databases: dict[str, str], walled: list[Table]) -> None:
    """DO UPDATE asks its WHERE of the row that is there before the policy: a name was read so, with a known id."""
    table = next(each for each in walled if each.name == "tenants_user")
    row = {column.name: own_value(column, 0) for column in table.columns}
    # Nobody makes an account that administers the platform: that is refused before the conflict.
    row |= {"username": NEW_NAME, "id": named("other", 0), "is_superuser": False}
    text = (
        f"INSERT INTO tenants_user AS t ({', '.join(row)}) VALUES ({', '.join(map(literal, row.values()))}) "
        "ON CONFLICT (id) DO UPDATE SET first_name = t.first_name WHERE t.first_name < 'm'"
    )
    asking = [Statement(way="as planned", text=text)]
    # No role reads these columns of the table: with the right to, the trigger stands in the way by itself.
    shown = "GRANT SELECT ON tenants_user TO glassbox_api"
    opened = (shown, "ALTER TABLE tenants_user DISABLE TRIGGER id_is_new")
    assert differences(databases, asking, TOKENS["identity"], opened=opened), "a broken test: nothing was read"
    assert not differences(databases, asking, TOKENS["identity"], opened=(shown,))
    assert not differences(databases, asking, TOKENS["identity"])


def test_names_that_are_unique_decide_no_conflict(databases: dict[str, str]) -> None:
    for table, column in (("tenants_user", "username"), ("tenants_tenant", "slug")):
        text = f"INSERT INTO {table} ({column}) VALUES ('b300') ON CONFLICT ({column}) DO UPDATE SET {column} = ''"
        [(plain, _)] = asked(databases["low"], [Statement(way="as planned", text=text)], TOKENS["identity"])
        assert plain.startswith("42P10")  # no unique or exclusion constraint matching


# --- the price of an operator ---


@pytest.mark.parametrize(
    "asking",
    [
        "SELECT count(*) FROM corpus_document",
        "EXPLAIN SELECT 1 FROM corpus_document",
        "PREPARE p AS SELECT 1 FROM corpus_document; EXECUTE p",
        "DECLARE c CURSOR FOR SELECT 1 FROM corpus_document; FETCH ALL FROM c",
        "DO $$ BEGIN PERFORM 1 FROM corpus_document; END $$",
        "COPY (SELECT 1 FROM corpus_document) TO STDOUT",
        "SELECT (SELECT count(*) FROM corpus_document)",
        "WITH d AS MATERIALIZED (SELECT 1 FROM corpus_document) SELECT count(*) FROM d",
        "SELECT 1 FROM (VALUES (1)) v(n), LATERAL (SELECT n FROM corpus_document) d",
        "UPDATE corpus_document SET title = title",
        "DELETE FROM corpus_document",
        "INSERT INTO corpus_document SELECT * FROM corpus_document",
        "MERGE INTO corpus_document USING (VALUES (1)) v(n) ON true WHEN MATCHED THEN DO NOTHING",
    ],
)
@pytest.mark.parametrize("price", ["0.0025", "-0", "1e-300"])
def test_no_plan_is_made_at_another_price(asking: str, price: str, databases: dict[str, str]) -> None:
    with psycopg.connect(f"{admin_dsn()} dbname={databases['low']}") as connection:
        connection.execute(f"SET LOCAL cpu_operator_cost = '{price}'")
        connection.execute("SET LOCAL ROLE glassbox_api")
        _open(connection, "glassbox.scope", _narrow)
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="cpu_operator_cost is not 0"):
            _run(connection, asking)
        connection.rollback()


def _run(connection: psycopg.Connection[Any], statement: str) -> None:
    if not statement.startswith("COPY"):
        connection.execute(statement)
        return
    with connection.cursor().copy(statement) as rows:
        list(rows)


@pytest.mark.parametrize("mode", ["force_generic_plan", "force_custom_plan"])
def test_a_kept_plan_was_made_in_order(mode: str, databases: dict[str, str]) -> None:
    """A plan that is made anew under another price is refused; one that is kept is as it was."""
    text = "SELECT 1 FROM corpus_document WHERE ('{t}'::bool[])[page_count] IS NULL AND company > $1"
    with psycopg.connect(f"{admin_dsn()} dbname={databases['low']}") as connection:
        connection.execute(f"SET LOCAL plan_cache_mode = {mode}")
        connection.execute("SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off")
        connection.execute("SET LOCAL ROLE glassbox_api")
        _open(connection, "glassbox.scope", _narrow)
        connection.execute(f"PREPARE p (text) AS {text}")
        connection.execute("EXECUTE p ('a')")
        connection.execute("SET LOCAL cpu_operator_cost = 0.0025")
        if mode == "force_generic_plan":
            plan = connection.execute("EXPLAIN EXECUTE p ('a')").fetchall()
            [filtered] = [line for (line,) in plan if "Filter:" in line]
            assert filtered.index("tenant_id") < filtered.index("page_count")
            # Made anew, since something about the table has changed.
            connection.execute("RESET ROLE; COMMENT ON TABLE corpus_document IS 'x'; SET LOCAL ROLE glassbox_api")
            connection.execute("DISCARD PLANS")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="cpu_operator_cost is not 0"):
            connection.execute("EXECUTE p ('a')")
        connection.rollback()


def test_no_function_that_a_planner_may_call_sets_the_price(databases: dict[str, str]) -> None:
    """What runs while a plan is made, between the policy's look and the ordering, must not change what it saw."""
    with psycopg.connect(f"{admin_dsn()} dbname={databases['low']}") as connection:
        setting = connection.execute(
            "SELECT oid::regprocedure::text FROM pg_proc "
            "WHERE array_to_string(proconfig, ' ') LIKE '%cpu_operator_cost%'"
        ).fetchall()
        assert setting == []
        volatile = connection.execute(
            "SELECT DISTINCT provolatile FROM pg_proc WHERE proname IN ('set_config', 'query_to_xml', 'ts_stat')"
        ).fetchall()
        assert volatile == [("v",)]
