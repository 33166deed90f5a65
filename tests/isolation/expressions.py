"""Made-up conditions over the columns of a table: every node of PostgreSQL 18's expression grammar that SQL can write.

The nodes are those of src/include/nodes/primnodes.h; each way below says which it makes. Not written here, since SQL
outside of the commands that make them can't: Aggref, GroupingFunc, WindowFunc, MergeSupportFunc, ReturningExpr and
CurrentOfExpr, which stand in statements.py; SetToDefault, NextValueExpr, CoerceToDomainValue and InferenceElem,
which stand in no condition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.isolation.twins import Column, Table, hidden_value, literal, own_value

_NUMBERS = ("smallint", "integer", "bigint", "double precision")
_WORDS = ("varchar", "text")
_SORTED = (*_NUMBERS, *_WORDS, "uuid", "boolean", "date", "timestamp with time zone", "bytea")
# Between what the worlds hold, so that a comparison tells them apart.
_MIDDLE = {
    "varchar": "m",
    "text": "m",
    "uuid": "7fffffff-ffff-ffff-ffff-ffffffffffff",
    "date": "2010-06-01",
    "timestamp with time zone": "2010-06-01 00:00:00+00",
    "bytea": b"2",
    "double precision": 300.0,
    "smallint": 20,
    "integer": 20,
    "bigint": 20,
    "boolean": True,
}
_ORDERS = ("<", "<=", ">", ">=", "=", "<>")


@dataclass(frozen=True, slots=True)
class Grammar:
    """Conditions over one table's columns.

    Args: table: the table; its columns are named as alias.column.
          random: whence every choice comes.
          alias: the table's in the statement.
    """

    table: Table
    random: Random
    alias: str = "t"

    def condition(self, depth: int = 2) -> str:
        ways: list[Callable[[Grammar, int], str]] = [*_ATOMS] if depth <= 0 else [*_ATOMS, *_ATOMS, *_NESTED]
        return self.random.choice(ways)(self, depth)

    def of(self, *kinds: str) -> Column | None:
        """Any column of one of the types; of any type without one."""
        found = [column for column in self.table.columns if not kinds or column.kind in kinds]
        return self.random.choice(found) if found else None

    def column(self, *kinds: str) -> tuple[str, Column]:
        """A column, or one of all where the table has none of the types."""
        column = self.of(*kinds) or self.of()
        assert column is not None
        return f'{self.alias}."{column.name}"', column

    def constant(self, column: Column, *, exact: bool = True) -> str:
        """A value to compare a column with: one that a row holds, hidden ones too, or one between.

        An indexed column is compared with no hidden row's own value: whether a value that one knows is somewhere may be
        tried, as the README says.
        """
        row = self.random.randrange(3)
        values = [own_value(column, row)]
        if column.kind in _MIDDLE:
            values += [_MIDDLE[column.kind]] * 2
        if exact and column.name not in self.table.indexed:
            values += [hidden_value(column, "low", row), hidden_value(column, "high", row)]
        return f"{literal(self.random.choice(values))}::{_type(column)}"


def _type(column: Column) -> str:
    return f"halfvec({column.length})" if column.kind == "halfvec" else column.kind


# --- conditions without conditions in them ---


def _null_test(g: Grammar, _: int) -> str:
    """NullTest, of a column, a row (Var of the whole row, RowExpr) or a JSON value."""
    name, _column = g.column()
    value = g.random.choice([name, g.alias, f"ROW({name}, {g.column()[0]})", f"to_jsonb({name})"])
    return f"{value} IS {g.random.choice(['', 'NOT '])}NULL"


def _boolean_test(g: Grammar, _: int) -> str:
    """BooleanTest and a bare Var."""
    column = g.of("boolean")
    if column is None:
        return f"({_comparison(g, 0)}) IS {g.random.choice(['TRUE', 'NOT FALSE', 'UNKNOWN', 'NOT UNKNOWN'])}"
    name = f'{g.alias}."{column.name}"'
    return g.random.choice([name, f"NOT {name}", f"{name} IS TRUE", f"{name} IS NOT TRUE", f"{name} IS FALSE"])


def _comparison(g: Grammar, _: int) -> str:
    """OpExpr, DistinctExpr, Const, RelabelType."""
    name, column = g.column(*_SORTED)
    constant = g.constant(column)
    return g.random.choice(
        [
            f"{name} {g.random.choice(_ORDERS if column.kind in _SORTED else ('=',))} {constant}",
            f"{name} IS {g.random.choice(['', 'NOT '])}DISTINCT FROM {constant}",
        ]
        if column.kind in _SORTED or column.kind == "jsonb"
        else [f"{name}::text < 'm'"]
    )


def _between(g: Grammar, _: int) -> str:
    name, column = g.column(*_SORTED)
    if column.kind not in _SORTED:
        return _null_test(g, 0)
    return f"{name} BETWEEN {g.random.choice(['', 'SYMMETRIC '])}{g.constant(column)} AND {g.constant(column)}"


def _of_a_list(g: Grammar, _: int) -> str:
    """ScalarArrayOpExpr, ArrayExpr."""
    name, column = g.column(*_SORTED)
    if column.kind not in _SORTED:
        return _null_test(g, 0)
    few = ", ".join(g.constant(column) for _ in range(g.random.choice([1, 2, 12])))
    return g.random.choice(
        [
            f"{name} IN ({few})",
            f"{name} NOT IN ({few})",
            f"{name} {g.random.choice(_ORDERS)} {g.random.choice(['ANY', 'ALL'])} (ARRAY[{few}])",
            f"{name} = ANY (ARRAY[{few}, {name}])",
        ]
    )


def _rows(g: Grammar, _: int) -> str:
    """RowCompareExpr, RowExpr, and a FieldSelect."""
    (one, first), (two, second) = g.column(*_SORTED), g.column(*_SORTED)
    if first.kind not in _SORTED or second.kind not in _SORTED:
        return _null_test(g, 0)
    return g.random.choice(
        [
            f"({one}, {two}) {g.random.choice(_ORDERS)} ({g.constant(first)}, {g.constant(second)})",
            f"ROW({one}, {two}) IS DISTINCT FROM ROW({g.constant(first)}, {g.constant(second)})",
            f"({g.alias}.*)::text > 'm'",
            f"(({g.alias}).{_quoted(first.name)}) = {g.constant(first)}",
        ]
    )


def _greatest(g: Grammar, _: int) -> str:
    """MinMaxExpr, CoalesceExpr, NullIfExpr."""
    name, column = g.column(*_SORTED)
    if column.kind not in _SORTED:
        return f"COALESCE({name}, {name}) IS NULL"
    constant = g.constant(column)
    made = g.random.choice([f"{each}({name}, {constant})" for each in ("GREATEST", "LEAST", "COALESCE", "NULLIF")])
    return g.random.choice([f"{made} IS NULL", f"{made} = {constant}", f"{made} < {g.constant(column)}"])


def _element(g: Grammar, _: int) -> str:
    """SubscriptingRef: an element or a slice of an array or a document, constant or a column's, found by a column."""
    word, _word = g.column(*_WORDS)
    count, _count = g.column("smallint", "integer")
    key = f"GREATEST({word}::text, 'm')" if g.of(*_WORDS) else f"({word}::text)"
    place = f"{count}" if g.of("smallint", "integer") else f"length({count}::text)"
    flags = ",".join(g.random.choice("tf") for _ in range(60))
    whole, column = g.column("jsonb", "varchar[]", "uuid[]", "integer[]", "real[]")
    own = f"({whole})['k']" if column.kind == "jsonb" else f"({whole})[1]"
    if column.kind != "jsonb" and not column.kind.endswith("[]"):
        own = f"(to_jsonb({whole}))['k']"
    return g.random.choice(
        [
            f"('{{\"m\": 1}}'::jsonb)[{key}] IS {g.random.choice(['', 'NOT '])}NULL",
            f"('{{{flags}}}'::bool[])[{place}]",
            f"('{{{flags}}}'::bool[])[{place}] IS NULL",
            f"('{{{flags}}}'::bool[])[{place}:{place}] IS NULL",
            f"('{{{flags}}}'::bool[])[({place})::integer] IS NOT TRUE",
            f"('{{{{1,2}},{{3,4}}}}'::int[])[{place}][1] IS NULL",
            f"{own} IS NULL",
        ]
    )


def _joined_to_the_tenant(g: Grammar, _: int) -> str:
    """What the planner joins to the policy's own condition on tenant_id (EquivalenceClass), and runs beside it."""
    if not g.table.has("tenant_id"):
        return _null_test(g, 0)
    tenant = f"{g.alias}.tenant_id"
    place, _column = g.column("smallint", "integer")
    own = literal(own_value(next(each for each in g.table.columns if each.name == "tenant_id"), 0))
    many = ",".join(g.random.choice([own.strip("'"), "NULL"]) for _ in range(60))
    return g.random.choice(
        [
            f"{tenant} = CASE WHEN {_ATOMS[0](g, 0)} THEN {tenant} END",
            f"{tenant} = CASE WHEN {_comparison(g, 0)} THEN {own}::uuid ELSE {tenant} END",
            f"{tenant} = COALESCE({tenant}, {own}::uuid)",
            *([f"{tenant} = ('{{{many}}}'::uuid[])[{place}]"] if g.of("smallint", "integer") else []),
        ]
    )


def _function(g: Grammar, _: int) -> str:
    """FuncExpr, CoerceViaIO, ArrayCoerceExpr, CollateExpr, ConvertRowtypeExpr, and what raises errors."""
    word, _word = g.column(*_WORDS)
    any_, _any = g.column()
    count, column = g.column(*_NUMBERS)
    number = f"{count}" if column.kind in _NUMBERS else f"length({count}::text)"
    return g.random.choice(
        [
            f"{word}::text LIKE 'm%'",
            f"{word}::text ~ '^[a-m]'",
            f"{word}::text COLLATE \"C\" < 'm'",
            f"starts_with({word}::text, 'm')",
            f"md5({any_}::text) < '8'",
            f"1 / ({number} - {number})::numeric > 0",
            f"1 / ({number} - 20)::numeric > 0",
            f"({word}::text)::integer > 0",
            f"(ARRAY[{any_}::text])::varchar[] IS NULL",
            f"num_nulls(VARIADIC ARRAY[{any_}::text, {word}::text]) = 1",
            f"random() >= 0 AND {any_} IS NOT NULL",
            f"pg_column_size({any_}) > 8",
            f"pg_input_is_valid({any_}::text, 'integer')",
            f"EXTRACT(year FROM '2000-01-01'::date + ({number})::integer % 20) > 2000",
            f"(SELECT s.v FROM (SELECT {any_}::text) s(v)) > 'm'",
        ]
    )


def _domain(g: Grammar, _: int) -> str:
    """CoerceToDomain: a cast that raises what the value is not."""
    count, column = g.column("smallint", "integer")
    number = count if column.kind in ("smallint", "integer") else f"length({count}::text)"
    return f"(20 - {number})::information_schema.cardinal_number IS NOT NULL"


def _json(g: Grammar, _: int) -> str:
    """JsonConstructorExpr, JsonIsPredicate, JsonExpr, JsonValueExpr, JsonBehavior."""
    name, _column = g.column()
    document, column = g.column("jsonb")
    whole = document if column.kind == "jsonb" else f"to_jsonb({document})"
    return g.random.choice(
        [
            f"JSON_OBJECT('a': {name} ABSENT ON NULL)::text > '{{\"a\" : \"m'",
            f"JSON_ARRAY({name} NULL ON NULL) IS JSON ARRAY",
            f"JSON_SCALAR({name}::text) IS NULL",
            f"JSON({name}::text) IS NULL",
            f"{name}::text IS {g.random.choice(['', 'NOT '])}JSON",
            f"JSON_EXISTS({whole}, '$.k')",
            f"JSON_VALUE({whole}, '$.k' RETURNING integer DEFAULT 0 ON EMPTY ERROR ON ERROR) > 2000",
            f"JSON_QUERY({whole}, 'strict $.p' ERROR ON ERROR) IS NULL",
            f"JSON_SERIALIZE({whole}) > 'm'",
            f"{whole} @? '$.k'",
            f"{whole} ->> 'p' IS NULL",
        ]
    )


def _xml(g: Grammar, _: int) -> str:
    """XmlExpr; a server without libxml refuses them, in all worlds alike."""
    name, _column = g.column()
    return g.random.choice(
        [
            f"XMLELEMENT(NAME a, {name}) IS DOCUMENT",
            f"XMLFOREST({name} AS a) IS NOT NULL",
            f"XMLPARSE(CONTENT {name}::text) IS NULL",
            f"XMLSERIALIZE(CONTENT XMLCONCAT(XMLCOMMENT({name}::text)) AS text) > 'm'",
        ]
    )


def _server(g: Grammar, _: int) -> str:
    """SQLValueFunction, Param of a session."""
    name, column = g.column("date", "timestamp with time zone", *_WORDS)
    if column.kind in ("date", "timestamp with time zone"):
        return f"{name} {g.random.choice(['<', '>'])} {g.random.choice(['CURRENT_DATE', 'LOCALTIMESTAMP'])}"
    return f"{name}::text {g.random.choice(['<', '>'])} CURRENT_USER::text"


# --- conditions with conditions in them ---


def _and_or(g: Grammar, depth: int) -> str:
    """BoolExpr."""
    one, two = g.condition(depth - 1), g.condition(depth - 1)
    return g.random.choice([f"({one}) AND ({two})", f"({one}) OR ({two})", f"NOT ({one})"])


def _case(g: Grammar, depth: int) -> str:
    """CaseExpr, CaseWhen, CaseTestExpr."""
    name, column = g.column(*_SORTED)
    one, two = g.condition(depth - 1), g.condition(depth - 1)
    if column.kind not in _SORTED:
        return f"CASE WHEN {one} THEN {two} END"
    return g.random.choice(
        [
            f"CASE WHEN {one} THEN {two} ELSE true END",
            f"CASE {name} WHEN {g.constant(column)} THEN {one} ELSE {two} END",
            f"COALESCE({one}, {two})",
            f"('{{t,f}}'::bool[])[CASE WHEN {one} THEN 1 ELSE 2 END]",
            f"({one}) = ({two})",
        ]
    )


def _sublink(g: Grammar, depth: int) -> str:
    """SubLink, SubPlan, AlternativeSubPlan, Param."""
    name, column = g.column(*_SORTED)
    constant = g.constant(column) if column.kind in _SORTED else name
    one = g.condition(depth - 1)
    return g.random.choice(
        [
            f"EXISTS (SELECT WHERE {one})",
            f"(SELECT {one})",
            f"{name} = (SELECT {constant})",
            f"{name} = ANY (SELECT {constant})",
            f"({name}, {name}) = ANY (SELECT {constant}, {constant})",
            f"ARRAY(SELECT {name} WHERE {one}) = '{{}}'",
            f'EXISTS (SELECT FROM "{g.table.name}" o WHERE o."{column.name}" IS NOT NULL AND {one})',
        ]
    )


_ATOMS = (
    _null_test,
    _boolean_test,
    _comparison,
    _between,
    _of_a_list,
    _rows,
    _greatest,
    _element,
    _element,
    _joined_to_the_tenant,
    _function,
    _domain,
    _json,
    _xml,
    _server,
)
_NESTED = (_and_or, _case, _case, _sublink)


def _quoted(name: str) -> str:
    return f'"{name}"'
