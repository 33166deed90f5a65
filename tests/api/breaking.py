"""What can be wrong with a value, by its schema in the OpenAPI document: for tests that try all of it everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.api.client import openapi

Json = dict[str, Any]
UUID = "00000000-0000-7000-8000-000000000000"
# Longer ones are not built: that a list of ten thousand is refused is no news of one of ten thousand and one.
_BUILT = 1000


# What frameworks take for the type all the same.
_OTHER_TYPES: dict[str, tuple[Any, ...]] = {
    "string": (7, True, ["a"]),
    "integer": ("7", 1.5, True),
    "number": ("0.5", True),
    "boolean": ("true", 1),
    "array": ("a", {"0": "a"}),
    "object": ("a", ["a"]),
}


class Broken(NamedTuple):
    """A body with one mistake.

    place: of the mistake, as a problem names it: choices.0.seen.
    why: what is wrong, for the reader of a failure.
    """

    body: Any
    place: str
    why: str


def resolved(schema: Json) -> Json:
    """A schema without references and wrappers; of what may be null, the other."""
    for wrapper in ("allOf", "oneOf", "anyOf"):
        if wrapper in schema:
            first = next(each for each in schema[wrapper] if each.get("type") != "null")
            return resolved(first)
    if "$ref" not in schema:
        return schema
    return resolved(openapi()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])


def may_be_null(schema: Json) -> bool:
    kinds = schema.get("type")
    return (isinstance(kinds, list) and "null" in kinds) or {"type": "null"} in schema.get("oneOf", ())


def kind_of(schema: Json) -> str:
    kinds = schema.get("type", "")
    return next(kind for kind in kinds if kind != "null") if isinstance(kinds, list) else kinds


def allowed(schema: Json, value: Any) -> bool:
    """Whether one of several types of the schema is the value's own."""
    kinds = schema.get("type", ())
    types = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    own = types[type(value)]
    return isinstance(kinds, list) and bool({own, "number" if own == "integer" else own} & {*kinds})


def valid(schema: Json) -> Any:
    """A value that the schema allows: of an object the required fields alone."""
    plain = resolved(schema)
    if "enum" in plain:
        return plain["enum"][0]
    if "example" in plain:
        return plain["example"]
    kind = kind_of(plain)
    if kind == "object":
        fields = plain.get("properties", {})
        return {name: valid(fields[name]) for name in plain.get("required", ())}
    if kind == "array":
        return [valid(plain["items"])] if plain.get("minItems") else []
    formats = {"uuid": UUID, "date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "email": "jo@example.com"}
    texts = formats.get(plain.get("format", ""), "x")
    return {"string": texts, "integer": plain.get("minimum", 1), "number": 0.5, "boolean": True}.get(kind)


def broken(schema: Json, place: str = "") -> Iterator[Broken]:
    """Bodies that are right but for one value, each value in turn, in each way that its schema rules out."""
    plain = resolved(schema)
    yield from (Broken(value, place, why) for value, why in _wrong(schema))
    kind = kind_of(plain)
    if kind == "object":
        whole = valid(plain)
        for name, field in plain.get("properties", {}).items():
            for inner in broken(field, f"{place}.{name}" if place else name):
                yield inner._replace(body={**whole, name: inner.body})
    elif kind == "array":
        for inner in broken(plain["items"], f"{place}.0"):
            yield inner._replace(body=[inner.body])


def _wrong(schema: Json) -> Iterator[tuple[Any, str]]:
    plain = resolved(schema)
    kind = kind_of(plain)
    if not kind and "enum" not in plain:
        return  # anything at all
    if not may_be_null(schema):
        yield None, "null"
    for value in _OTHER_TYPES[kind or "string"]:
        if not allowed(plain, value):
            yield value, f"{value!r} for {kind}"
    if (kind or "string") == "string":
        yield "a\0b", "NUL"
        yield "\ud800", "half a surrogate pair"
        if "enum" in plain or plain.get("format") in ("uuid", "date-time", "date", "email"):
            yield "no such", "not one of them"
        if plain.get("maxLength", _BUILT**2) < _BUILT**2:
            yield "x" * (plain["maxLength"] + 1), "too long"
    if "minimum" in plain:
        yield plain["minimum"] - 1, "too small"
    if "maximum" in plain:
        yield plain["maximum"] + 1, "too large"
    if plain.get("maxItems", _BUILT) < _BUILT:
        yield [valid(plain["items"])] * (plain["maxItems"] + 1), "too many"
    if plain.get("minItems"):
        yield [], "too few"


def broken_parameter(schema: Json) -> Iterator[tuple[list[str], str]]:
    """The values of one query parameter that its schema, or its kind, rules out. Bytes are percent-encoded."""
    plain = resolved(schema)
    item = resolved(plain["items"]) if kind_of(plain) == "array" else plain
    good = str(valid(item)).lower() if kind_of(item) == "boolean" else str(valid(item))
    yield [good, good], "repeated"
    yield [""], "empty"
    yield ["%20"], "blank"
    yield ["a%00b"], "NUL"
    yield ["a%ff"], "no UTF-8"
    yield ["%ed%a0%80"], "half a surrogate pair"
    if "enum" in item or "format" in item or "pattern" in item or kind_of(item) != "string":
        yield ["no+such"], "not one of them"
    if "maxLength" in item:
        yield ["x" * (item["maxLength"] + 1)], "too long"
    if "minimum" in item:
        yield [str(item["minimum"] - 1)], "too small"
        yield [str(item["maximum"] + 1)], "too large"
        yield ["1.5"], "a fraction"
