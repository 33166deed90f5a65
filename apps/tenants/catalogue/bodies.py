"""Find out what the body of a function reads and writes, from its text, because PostgreSQL keeps no list of it.

The result rather names too much than too little. A column in a statement that mentions a table counts as that table's,
in whichever branch it stands, and even if a plan would fold it away. PostgreSQL checks rights when a plan runs, and the
plan may change with the sixth use in a session, so everything that is named must be allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_TOKEN: Final = re.compile(
    r"""--[^\n]* | /\*.*?\*/ | (?P<tag>\$\w*\$).*?(?P=tag) | [eE]?'(?:[^']|'')*'
    | (?P<name>"(?:[^"]|"")+"|[A-Za-z_][\w$]*) | (?P<sign>[.;,()%*=]) """,
    re.VERBOSE | re.DOTALL,
)
# Words that may follow a table in a statement and are not an alias.
_NO_ALIAS: Final = frozenset(
    re.findall(
        r"\w+",
        "as where on using set join left right inner outer full cross natural group order limit offset having union "
        "except intersect returning for when then loop end into values default select overriding window fetch and or "
        "tablesample is not in exists from",
    )
)
_LOCKS: Final = ("update", "share", "no", "key")


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """A right that a body uses on a table.

    columns: the columns that it names; if empty, the right on any one column suffices.
    """

    table: str
    right: str
    columns: tuple[str, ...] = ()


@dataclass(slots=True)
class _Mention:
    table: str
    right: str
    at: int
    names: frozenset[str]
    written: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Body:
    """What the body of a function does.

    uses: the rights that it uses on tables.
    calls: names of other functions, without their schemas.
    is_dynamic: whether it composes statements at run time.
    """

    uses: tuple[Use, ...]
    calls: frozenset[str]
    is_dynamic: bool


def read_body(source: str, *, columns: Mapping[str, Sequence[str]], variables: Sequence[str] = ()) -> Body:
    """Return what a body in SQL or PL/pgSQL does.

    Args:    columns: table -> its columns, for every table in the database. variables: the function's parameters.
    """
    words = _tokens(source)
    known = {name.lower() for name in variables} | _declared(words)
    uses: set[Use] = set()
    for statement in _statements(words):
        uses |= set(_uses(statement, columns, known))
    calls = frozenset(
        name for name, sign in zip(words, (*words[1:], ""), strict=True) if sign == "(" and name[0].isalpha()
    )
    return Body(
        uses=tuple(sorted(uses)),
        calls=calls,
        is_dynamic=any(
            # EXECUTE FUNCTION belongs to CREATE TRIGGER, and does not run a composed statement.
            word == "execute" and following not in ("function", "procedure")
            for word, following in zip(words, (*words[1:], ""), strict=True)
        ),
    )


def _tokens(source: str) -> list[str]:
    """Return the names, in lower case, and the signs of a text, without comments and literals."""
    found = []
    for match in _TOKEN.finditer(source):
        if match["name"]:
            found.append(match["name"].strip('"').lower())
        elif match["sign"]:
            found.append(match["sign"])
    return found


def _statements(words: Sequence[str]) -> Iterator[list[str]]:
    start = 0
    for place, word in enumerate((*words, ";")):
        if word == ";":
            yield list(words[start:place])
            start = place + 1


def _declared(words: Sequence[str]) -> set[str]:
    """Return the variables: names that begin a statement between DECLARE and BEGIN, and the variables of loops."""
    found: set[str] = set()
    declaring = False
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        if word == "declare":
            declaring = True
        elif word == "begin":
            declaring = False
        elif (declaring and before in ("declare", ";")) or (before == "for" and word not in _LOCKS):
            found.add(word)
    return found


def _uses(statement: Sequence[str], columns: Mapping[str, Sequence[str]], known: set[str]) -> Iterator[Use]:
    mentions = [*_mentions(statement, columns)]
    if not mentions:
        return
    locks = any(
        word == "for" and following in _LOCKS for word, following in zip(statement, (*statement[1:], ""), strict=True)
    )
    for mention in mentions:
        read = _read(statement, mention, mentions, columns, known)
        if mention.right in ("INSERT", "UPDATE"):
            yield Use(mention.table, mention.right, tuple(sorted(mention.written)))
        if mention.right == "DELETE":
            yield Use(mention.table, "DELETE")
        if read or mention.right == "SELECT":
            yield Use(mention.table, "SELECT", tuple(sorted(read)))
        if locks and mention.right == "SELECT":
            yield Use(mention.table, "UPDATE")


def _mentions(statement: Sequence[str], columns: Mapping[str, Sequence[str]]) -> Iterator[_Mention]:
    for at, word in enumerate(statement):
        following = statement[at + 1] if at + 1 < len(statement) else ""
        first = at - 2 if at >= 2 and statement[at - 1] == "." and statement[at - 2] in ("public", "authz") else at
        if word not in columns or (following in ("%", "(") and statement[first - 1] != "into"):
            continue
        before = statement[first - 1] if first else ""
        if first == at and before == ".":
            continue
        if following == ".":
            continue
        alias = following
        if alias == "as":
            alias = statement[at + 2] if at + 2 < len(statement) else ""
        names = {word} | ({alias} if alias and alias[0].isalpha() and alias not in _NO_ALIAS else set())
        earlier = statement[first - 2] if first >= 2 else ""
        right = "SELECT"
        written: set[str] = set()
        if before == "into" and earlier == "insert":
            right, written = "INSERT", _listed(statement, at + 1)
        elif before == "from" and earlier == "delete":
            right = "DELETE"
        elif before == "update" and earlier not in ("for", "key"):
            right, written = "UPDATE", _set(statement, at, set(columns[word]))
        elif before not in ("from", "join", "only", "using", ",", "lateral"):
            # The name is not a use of the table; it may be a variable of the table's type.
            continue
        yield _Mention(word, right, at, frozenset(names), written & set(columns[word]))


def _listed(statement: Sequence[str], start: int) -> set[str]:
    if start >= len(statement) or statement[start] != "(":
        return set()
    end = statement.index(")", start)
    return {word for word in statement[start:end] if word[0].isalpha() or word[0] == "_"}


def _set(statement: Sequence[str], start: int, columns: set[str]) -> set[str]:
    found: set[str] = set()
    for at in range(start, len(statement)):
        if statement[at] in ("where", "returning", "from"):
            break
        if statement[at] in columns and statement[at + 1 : at + 2] == ["="]:
            found.add(statement[at])
    return found


def _read(
    statement: Sequence[str],
    mention: _Mention,
    mentions: Sequence[_Mention],
    columns: Mapping[str, Sequence[str]],
    known: set[str],
) -> set[str]:
    own = set(columns[mention.table])
    read: set[str] = set()
    for at, word in enumerate(statement):
        before = statement[at - 1] if at else ""
        qualifier = statement[at - 2] if at >= 2 and before == "." else ""
        following = statement[at + 1] if at + 1 < len(statement) else ""
        if before == ".":
            if qualifier in mention.names:
                read |= own if word == "*" else {word} & own
        elif word == "*" and before in ("select", ","):
            read |= own
        elif (
            word in own
            and word not in known
            and following not in ("(", ".")
            and not any(word in other.names for other in mentions)
            and not _is_written(at, mentions, statement)
        ):
            read.add(word)
    return read


def _is_written(at: int, mentions: Sequence[_Mention], statement: Sequence[str]) -> bool:
    """Whether an unqualified name is in the column list of an INSERT, or the target of an assignment in SET."""
    for mention in mentions:
        if mention.right == "INSERT" and mention.at < at:
            start = mention.at + 1
            if start < len(statement) and statement[start] == "(" and at < statement.index(")", start):
                return True
        if mention.right == "UPDATE" and statement[at] in mention.written and statement[at + 1 : at + 2] == ["="]:
            return "where" not in statement[mention.at : at]
    return False
