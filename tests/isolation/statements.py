"""Statements that ask made-up conditions: every place where one can stand, and every way to plan it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from tests.isolation.expressions import Grammar
from tests.isolation.twins import NEW_NAME, OTHER_TENANTS, Column, Table, literal, named, own_value

# What the planner is made to take, as settings; the price of an operator stays what the wall demands.
_OFF = ("enable_seqscan", "enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_tidscan")


def _only(*left: str) -> tuple[str, ...]:
    return tuple(f"SET LOCAL {name} = off" for name in _OFF if name not in left)


WAYS = {
    "as planned": (),
    "sequential": _only("enable_seqscan"),
    "index": _only("enable_indexscan"),
    "index only": _only("enable_indexonlyscan", "enable_indexscan"),
    "bitmap": _only("enable_bitmapscan"),
    "tid": _only("enable_tidscan"),
    "parallel": (
        "SET LOCAL parallel_setup_cost = 0",
        "SET LOCAL parallel_tuple_cost = 0",
        "SET LOCAL min_parallel_table_scan_size = 0",
        "SET LOCAL min_parallel_index_scan_size = 0",
        "SET LOCAL max_parallel_workers_per_gather = 1",
    ),
    "merge join": ("SET LOCAL enable_hashjoin = off", "SET LOCAL enable_nestloop = off"),
    "nested loop": ("SET LOCAL enable_hashjoin = off", "SET LOCAL enable_mergejoin = off"),
    "generic": ("SET LOCAL plan_cache_mode = force_generic_plan",),
    "no gain in rows": (
        "SET LOCAL enable_sort = off",
        "SET LOCAL enable_material = off",
        "SET LOCAL enable_hashagg = off",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """before: what runs first, in the same transaction. explained: whether EXPLAIN ANALYZE can show its counters."""

    way: str
    text: str
    before: tuple[str, ...] = ()
    explained: bool = True

    def __str__(self) -> str:
        return f"[{self.way}] {'; '.join((*self.before, self.text))}"


def statements(table: Table, seed: str, count: int) -> list[Statement]:
    """So many, the same for the same seed, of the columns that the runtime role may read."""
    table = replace(table, columns=tuple(column for column in table.columns if column.is_readable))
    random = Random(f"{seed} {table.name}")
    forms = list(_FORMS)
    random.shuffle(forms)
    # Each form in its turn, so that a few statements are not of a few forms.
    return [_made(table, forms[number % len(forms)], random) for number in range(count)]


def _made(table: Table, form: Callable[[Table, Grammar], Statement | str], random: Random) -> Statement:
    grammar = Grammar(table, random)
    made = form(table, grammar)
    way = random.choice(list(WAYS))
    if isinstance(made, str):
        return Statement(way=way, text=made)
    return Statement(way=way, text=made.text, before=made.before, explained=made.explained)


def _select(t: Table, g: Grammar) -> str:
    return f'SELECT 1 FROM "{t.name}" t WHERE {g.condition()}'


def _narrowed(t: Table, g: Grammar) -> str:
    """Together with a condition on an index: what is between the two."""
    column, own = g.random.choice(t.indexed), g.constant
    found = next(each for each in t.columns if each.name == column)
    return f'SELECT 1 FROM "{t.name}" t WHERE t."{column}" = {own(found, exact=False)} AND {g.condition()}'


def _by_place(t: Table, g: Grammar) -> str:
    where = g.random.choice([f"t.ctid = '(0,{n})'" for n in range(1, 9)] + ["t.ctid > '(0,3)'", "t.ctid < '(0,7)'"])
    return f'SELECT 1 FROM "{t.name}" t WHERE {where} AND {g.condition()}'


def _ordered(t: Table, g: Grammar) -> str:
    column = g.random.choice(t.indexed)
    return (
        f'SELECT 1 FROM "{t.name}" t WHERE {g.condition()} ORDER BY t."{column}" {g.random.choice(["", "DESC"])} '
        f"LIMIT {g.random.choice([1, 2, 100])}"
    )


def _aggregate(t: Table, g: Grammar) -> str:
    """Aggref with FILTER, GroupingFunc, HAVING."""
    name, _ = g.column("boolean", "varchar", "uuid", "integer")
    return (
        f'SELECT count(*) FILTER (WHERE {g.condition()}), GROUPING({name}) FROM "{t.name}" t WHERE {g.condition(1)} '
        f"GROUP BY GROUPING SETS (({name}), ()) HAVING count(*) > 0"
    )


def _least(t: Table, g: Grammar) -> str:
    column = g.of("varchar", "text", "integer", "bigint", "timestamp with time zone", "date")
    name = f't."{column.name}"' if column else "1"
    return f'SELECT {g.random.choice(["min", "max"])}({name}) FROM "{t.name}" t WHERE {g.condition()}'


def _window(t: Table, g: Grammar) -> str:
    """WindowFunc, with FILTER and a run condition."""
    name, _ = g.column("boolean", "varchar", "uuid", "integer")
    return (
        f"SELECT * FROM (SELECT count(*) FILTER (WHERE {g.condition(1)}) OVER (ORDER BY {name}) AS n, "
        f'row_number() OVER (ORDER BY {name}) AS r FROM "{t.name}" t WHERE {g.condition()}) s WHERE r <= 2'
    )


def _subquery(t: Table, g: Grammar) -> str:
    inner = g.random.choice(
        [
            f'(SELECT * FROM "{t.name}")',
            f'(SELECT * FROM "{t.name}" OFFSET 0)',
            f'(SELECT DISTINCT * FROM "{t.name}" u WHERE {Grammar(t, g.random, "u").condition(1)})'
            if not any(column.kind in ("halfvec", "jsonb") for column in t.columns)
            else f'(SELECT * FROM "{t.name}" LIMIT 100)',
            f'(SELECT * FROM "{t.name}" UNION ALL SELECT * FROM "{t.name}")',
            f'"{t.name}" TABLESAMPLE SYSTEM (100)',
        ]
    )
    return f"SELECT 1 FROM {inner} t WHERE {g.condition()}"


def _common_table(t: Table, g: Grammar) -> str:
    kept = g.random.choice(["", "MATERIALIZED", "NOT MATERIALIZED"])
    inner = Grammar(t, g.random, "u").condition(1)
    return f'WITH t AS {kept} (SELECT * FROM "{t.name}" u WHERE {inner}) SELECT count(*) FROM t WHERE {g.condition()}'


def _joined(t: Table, g: Grammar) -> str:
    kind = g.random.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
    key = g.random.choice(t.indexed)
    on = f't."{key}" = o."{key}"'
    condition = g.condition()
    if kind == "FULL JOIN":
        return f'SELECT count(*) FROM "{t.name}" o FULL JOIN "{t.name}" t ON {on} WHERE {condition}'
    other = Grammar(t, g.random, "o").condition(1)
    return f'SELECT count(*) FROM "{t.name}" o {kind} "{t.name}" t ON {on} AND {condition} WHERE {other}'


def _semi(t: Table, g: Grammar) -> str:
    outer = "(VALUES (1), (2)) v(n)"
    return g.random.choice(
        [
            f'SELECT n FROM {outer} WHERE EXISTS (SELECT FROM "{t.name}" t WHERE {g.condition()})',
            f'SELECT n FROM {outer} WHERE NOT EXISTS (SELECT FROM "{t.name}" t WHERE {g.condition()})',
            f'SELECT n FROM {outer} WHERE n IN (SELECT 1 FROM "{t.name}" t WHERE {g.condition()})',
            f'SELECT n FROM {outer} WHERE n NOT IN (SELECT 1 FROM "{t.name}" t WHERE {g.condition()})',
            f'SELECT n FROM {outer}, LATERAL (SELECT n + 1 FROM "{t.name}" t WHERE {g.condition()} LIMIT 1) l',
            f'SELECT n, (SELECT count(*) FROM "{t.name}" t WHERE {g.condition()}) FROM {outer}',
        ]
    )


def _same_row(t: Table, g: Grammar) -> str:
    """A join of a table with itself by its key, which the planner takes away."""
    on = " AND ".join(f't."{column}" = o."{column}"' for column in g.random.choice(t.keys))
    return f'SELECT 1 FROM "{t.name}" t JOIN "{t.name}" o ON {on} WHERE {g.condition()} AND o.ctid IS NOT NULL'


def _through_another(t: Table, g: Grammar) -> str:
    """Merged through a third value, so that the planner meets a made-up one before the policy's own."""
    if not t.has("tenant_id"):
        return _select(t, g)
    return (
        f"SELECT 1 FROM \"{t.name}\" t, (VALUES ('{own_value(_named(t, 'tenant_id'), 0)}'::uuid), (NULL)) v(w) "
        f"WHERE CASE WHEN {g.condition(1)} THEN t.tenant_id END = v.w AND v.w = t.tenant_id"
    )


def _update(t: Table, g: Grammar) -> str:
    if not t.updatable:
        return _select(t, g)
    column = t.updatable
    return g.random.choice(
        [
            f'UPDATE "{t.name}" t SET "{column}" = t."{column}" WHERE {g.condition()} RETURNING 1',
            f'UPDATE "{t.name}" t SET "{column}" = t."{column}" FROM (VALUES (1)) v(n) '
            f"WHERE {g.condition()} RETURNING n",
            f'UPDATE "{t.name}" t SET "{column}" = t."{column}" RETURNING old."{column}" IS NULL, ({g.condition()})',
        ]
    )


def _delete(t: Table, g: Grammar) -> str:
    return g.random.choice(
        [
            f'DELETE FROM "{t.name}" t WHERE {g.condition()} RETURNING 1',
            f'DELETE FROM "{t.name}" t USING (VALUES (1)) v(n) WHERE {g.condition()} RETURNING n',
        ]
    )


def _merge(t: Table, g: Grammar) -> str:
    """MERGE, with MergeSupportFunc."""
    action = f'UPDATE SET "{t.updatable}" = t."{t.updatable}"' if t.updatable else "DO NOTHING"
    returning = "RETURNING merge_action()" if t.updatable else ""
    return (
        f'MERGE INTO "{t.name}" t USING (VALUES (1)) v(n) ON {g.condition()} '
        f"WHEN MATCHED AND {g.condition(1)} THEN {action} WHEN MATCHED THEN DO NOTHING {returning}"
    )


def _insert(t: Table, g: Grammar) -> str:
    return (
        f'INSERT INTO "{t.name}" SELECT t.* FROM "{t.name}" t WHERE {g.condition()} ON CONFLICT DO NOTHING RETURNING 1'
    )


def _on_conflict(t: Table, g: Grammar) -> str:
    """A row that has the key of an own one, or of nobody's; what is there is asked a condition."""
    key = g.random.choice(t.keys)
    if not t.updatable:
        return _insert(t, g)
    names = ", ".join(f'"{column.name}"' for column in t.columns)
    row = {column.name: own_value(column, 0) for column in t.columns}
    if t.name == "tenants_user" and g.random.random() < 0.8:
        # An account that a sign-in may make, with the id of another one that is hidden.
        row |= {"username": NEW_NAME, "id": named("other", g.random.randrange(OTHER_TENANTS))}
        key = ("id",)
    values = ", ".join(literal(row[column.name]) for column in t.columns)
    return (
        f'INSERT INTO "{t.name}" AS t ({names}) VALUES ({values}) ON CONFLICT ({", ".join(key)}) '
        f'DO UPDATE SET "{t.updatable}" = t."{t.updatable}" WHERE {g.condition()} RETURNING 1'
    )


def _cursor(t: Table, g: Grammar) -> Statement:
    """CurrentOfExpr: the row that a cursor stands on."""
    change = f'UPDATE "{t.name}" SET "{t.updatable}" = "{t.updatable}"' if t.updatable else f'DELETE FROM "{t.name}"'
    return Statement(
        way="",
        before=(f'DECLARE c CURSOR FOR SELECT 1 FROM "{t.name}" t WHERE {g.condition()} FOR UPDATE', "FETCH 1 FROM c"),
        text=f"{change} WHERE CURRENT OF c",
        explained=False,
    )


def _prepared(t: Table, g: Grammar) -> Statement:
    return Statement(
        way="",
        before=(f'PREPARE p (integer) AS SELECT $1 FROM "{t.name}" t WHERE {g.condition()} AND $1 IS NOT NULL',),
        text="EXECUTE p (1)",
    )


def _block(t: Table, g: Grammar) -> Statement:
    condition = g.condition().replace("$", "")
    return Statement(
        way="",
        text=f'DO $body$ BEGIN PERFORM 1 FROM "{t.name}" t WHERE {condition}; '
        "IF FOUND THEN RAISE EXCEPTION 'found'; END IF; END $body$",
        explained=False,
    )


def _locked(t: Table, g: Grammar) -> str:
    return (
        f'SELECT 1 FROM "{t.name}" t WHERE {g.condition()} FOR {g.random.choice(["UPDATE", "KEY SHARE"])} SKIP LOCKED'
    )


_FORMS: tuple[Callable[[Table, Grammar], Statement | str], ...] = (
    _select,
    _select,
    _select,
    _narrowed,
    _narrowed,
    _by_place,
    _ordered,
    _aggregate,
    _least,
    _window,
    _subquery,
    _common_table,
    _joined,
    _joined,
    _semi,
    _same_row,
    _through_another,
    _update,
    _delete,
    _merge,
    _insert,
    _on_conflict,
    _cursor,
    _prepared,
    _block,
    _locked,
)


def _named(t: Table, name: str) -> Column:
    return next(column for column in t.columns if column.name == name)
