"""No function changes rows without an event: read from the syntax trees of all of apps/, so that new ones are found.

A function changes rows if it calls the ORM to (`save()`, `delete()`, `Model.objects....create(...)` and their like) or
uses a text with INSERT INTO, UPDATE ... SET or DELETE FROM, be it in the .sql file beside the module. It is recorded if
it, or something that it calls, reaches `audit.services.record` or `tenants.events.emit`; or if everything that calls it
does.
Calls are followed over modules by what is imported under which name. What is called by a name that only exists at run
time is not seen: such a function must be recorded by itself, or stand below with its reason.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from apps.sql_files import read_statements

APPS = Path(__file__).resolve().parents[2] / "apps"
# Migrations are recorded by their release. The demo asks and writes through services, for a tenant of its own.
_NOT_READ = ("migrations", "demo")

RECORDERS = frozenset({"apps.audit.services.record", "apps.tenants.events.emit"})
# Every scope that is opened writes down, at its end, what failed in it. That records no change.
_RECORDS_FAILURES = "apps.tenants.context"
# What may change rows without an event, and why. A name that is not needed any more fails the test below.
EXCEPTIONS: Mapping[str, str] = {
    "apps.erasure.stores.rows.Rows._statement": "a store's part of a removal; the run that calls it records each step",
    "apps.erasure.proof.notes.note": "how far the proof of a run is; its end is recorded",
    "apps.audit.keys.data_keys._make": "a key says nothing; what it seals is recorded, or kept a day",
    "apps.audit.log.attesting._keep": "what others signed of a checkpoint, which is the log's own state",
    "apps.erasure.residue.control._in_database": "plants what a control must find, and takes it back",
    "apps.erasure.runs.ledger.Ledger._mark": "what became of a run's targets; each of its steps is recorded",
    "apps.erasure.runs.ledger.Ledger.reopen": "a store is asked again; that it is cleared is recorded",
    "apps.audit.log.checkpoints._signed_now": "the log's own state, signed and exported; its events are the record",
    "apps.audit.log.sequencer._append": "gives recorded events their places in the log",
    "apps.audit.log.sequencer._let_off": "takes off the queue what has its place already, and says so in the log file",
    "apps.audit.webhooks.collecting._forget": "deliveries that ended a month ago; their events stay in the log",
    "apps.audit.webhooks.collecting._sent_for": "notes that an endpoint's message was sent; giving up is recorded",
    "apps.corpus.services.ingest.reembed.reembed": "jobs of a change of the provider; that change is recorded",
    "apps.corpus.services.restricted.DocumentItems.withdraw": "forgets answers kept for a day; restricting is recorded",
    "apps.filings.services.store.store_facts": "what a job derives of a file; the end of the job is recorded",
    "apps.filings.services.store_graph.store_graph": "the same, of whom and what the file names",
    "apps.intents.services.golden._take_over": "copies what a model says of a text that the policy holds already",
    "apps.intents.services.golden._made": "keeps what a model says of a text that the policy holds already",
    "apps.intents.services.notices.notice_read": "that somebody read what they were told; what it tells of is recorded",
    "apps.intents.services.notices.notices_read_all": "the same, for all notices of one person",
    "apps.research.runs.forgetting._forget_some": "research whose days are over; asking and answering were recorded",
    "apps.retrieval.kept.history.forget_tenant": "answers whose days are over; asking was recorded",
    "apps.retrieval.sent.services.forget_decided": "questions whose days are over; sending and deciding are recorded",
    "apps.tenants.api.idempotency._remember": "the answer of a request; what the request changed is recorded by itself",
    "apps.tenants.api.idempotency.forget_expired": "answers kept for a day, lest a repeated request be done twice",
    "apps.tenants.leased_jobs.hold": "how far a job is; its end is recorded",
    "apps.tenants.leased_jobs.sweep_tenant": "notes that a job's message was sent again; its end is recorded",
    "apps.tenants.models.user.User.check_password": "a stronger hash of the same password is no change of it",
    "apps.tenants.probe._probe": "tries whether the wall holds, and takes back what it wrote",
    "apps.tenants.services.account_links.forget_expired_links": "links that have expired by themselves",
    "apps.tenants.services.invitations.forget_expired_invitations": "mailboxes of what has expired by itself",
    "apps.tenants.session_store.SessionStore.clear_expired": "sessions that have ended by themselves",
    "apps.tenants.session_store.SessionStore.create": "a session; signing in is recorded (tenants/sessions.py)",
    "apps.tenants.session_store.SessionStore.delete": "a session; signing out is recorded (tenants/sessions.py)",
    "apps.tenants.session_store.SessionStore.save": "a session; signing in is recorded (tenants/sessions.py)",
}

_SQL = re.compile(r"\b(INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\S+\s+SET)\b")
_MANAGER_WRITES = frozenset(
    {"create", "bulk_create", "bulk_update", "get_or_create", "update_or_create", "update", "delete"}
)


@dataclass(slots=True)
class Function:
    """A function or method with what is nested in it. uses: everything that it names, called or handed on."""

    writes: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)


class Module:
    """One module: its functions, by full name, with names resolved by its imports."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self._tree = ast.parse(source)
        self._names = dict(self._imported()) | {each: f"{name}.{each}" for each in self._defined()}
        self.sql = {
            f"{name}.{target.id}"
            for node in self._tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _holds_sql(node.value)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        self.functions = dict(self._functions())

    def _imported(self) -> Iterator[tuple[str, str]]:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    yield alias.asname or alias.name, f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname:
                        yield alias.asname, alias.name

    def _defined(self) -> Iterator[str]:
        for node in self._tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.name
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from (each.id for each in targets if isinstance(each, ast.Name))

    def _functions(self) -> Iterator[tuple[str, Function]]:
        for node in self._tree.body:
            if isinstance(node, ast.ClassDef):
                made = Function()
                for each in node.body:
                    if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                        yield f"{self.name}.{node.name}.{each.name}", self._read(each, owner=node.name)
                        # Who makes one may call any of its methods.
                        made.uses.add(f"{self.name}.{node.name}.{each.name}")
                yield f"{self.name}.{node.name}()", made
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{self.name}.{node.name}", self._read(node, owner="")

    def _read(self, function: ast.FunctionDef | ast.AsyncFunctionDef, *, owner: str) -> Function:
        read = Function()
        docstring = ast.get_docstring(function, clean=False)
        querysets = _querysets(function)
        for node in _without_annotations(function):
            if isinstance(node, ast.Name) and node.id in self._names:
                read.uses.add(self._names[node.id])
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id in ("self", "cls") and owner:
                    read.uses.add(f"{self.name}.{owner}.{node.attr}")
                elif node.value.id in self._names:
                    read.uses.add(f"{self._names[node.value.id]}.{node.attr}")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != docstring:
                read.writes.update(_SQL.findall(node.value))
            elif isinstance(node, ast.JoinedStr):
                pieces = (str(each.value) if isinstance(each, ast.Constant) else "_" for each in node.values)
                read.writes.update(_SQL.findall("".join(pieces)))
            if isinstance(node, ast.Call):
                read.writes.update(_orm_writes(node, querysets))
                if isinstance(node.func, ast.Name) and node.func.id in self._names:
                    read.uses.add(f"{self._names[node.func.id]}()")
        return read


def _without_annotations(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes below, but for those that say of what type something is."""
    todo = [function]
    while todo:
        node = todo.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns"):
                todo.extend(
                    each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST)
                )


def _holds_sql(node: ast.expr) -> bool:
    return any(
        isinstance(each, ast.Constant) and isinstance(each.value, str) and _SQL.search(each.value)
        for each in ast.walk(node)
    )


def _querysets(function: ast.AST) -> set[str]:
    """Names that are given something of a manager or a queryset."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if _of_a_manager(node.value, found):
                found.update(each.id for each in targets if isinstance(each, ast.Name))
    return found


def _of_a_manager(node: ast.expr, querysets: set[str]) -> bool:
    """Whether it is a chain of calls that begins at `.objects`, at a queryset, or has a filter in it."""
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute):
            if node.attr in ("objects", "_default_manager", "filter", "exclude"):
                return True
            node = node.value
        else:
            return isinstance(node, ast.Name) and node.id in querysets


def _orm_writes(call: ast.Call, querysets: set[str]) -> Iterator[str]:
    if not isinstance(call.func, ast.Attribute):
        return
    name = call.func.attr
    # A row's own; a document's or a picture's save has the place to put it as an argument.
    own = name in ("save", "delete") and not call.args and not _is_super(call.func.value)
    if own or (name in _MANAGER_WRITES and _of_a_manager(call.func.value, querysets)):
        yield f".{name}()"


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


@cache
def _module(name: str, source: str) -> Module:
    return Module(name, source)


class Graph:
    """Who uses whom, over all modules."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        modules = [_module(name, source) for name, source in sources.items()]
        self.functions = {name: each for module in modules for name, each in module.functions.items()}
        statements = {name for module in modules for name in module.sql}
        for function in self.functions.values():
            function.writes.update(function.uses & statements)
        self._users: dict[str, set[str]] = defaultdict(set)
        for name, function in self.functions.items():
            for used in function.uses & self.functions.keys():
                # That a class has it is no use of it.
                if used != name and used.rpartition(".")[0] != name.removesuffix("()"):
                    self._users[used].add(name)
        self._recording = self._reaching(RECORDERS)

    def unrecorded(self) -> dict[str, set[str]]:
        """Functions that change rows and reach no event, with how they change them."""
        return {
            name: function.writes
            for name, function in self.functions.items()
            if function.writes and not self._recorded(name, frozenset())
        }

    def _recorded(self, name: str, asking: frozenset[str]) -> bool:
        if name in self._recording:
            return True
        users = self._users[name] - asking
        return bool(users) and all(self._recorded(each, asking | {name}) for each in users)

    def _reaching(self, wanted: frozenset[str]) -> set[str]:
        """Functions from which one of the wanted is reached."""
        found: set[str] = set()
        while True:
            new = {
                name
                for name, function in self.functions.items()
                if name not in found and not name.startswith(_RECORDS_FAILURES) and function.uses & (wanted | found)
            }
            if not new:
                return found
            found |= new


def sources() -> dict[str, str]:
    """The modules by name, with the statements of the file beside each where it names them."""
    found = {}
    for path in sorted(APPS.rglob("*.py")):
        place = path.relative_to(APPS.parent)
        if not set(_NOT_READ) & set(place.parts):
            parts = place.parent.parts if place.name == "__init__.py" else place.with_suffix("").parts
            text = path.read_text()
            if path.with_suffix(".sql").exists():
                for name, statement in read_statements(str(path)).items():
                    text = text.replace(f'_SQL["{name}"]', repr(statement))
            found[".".join(parts)] = text
    return found


@pytest.fixture(scope="module")
def unrecorded() -> dict[str, set[str]]:
    return Graph(sources()).unrecorded()


def test_every_function_that_changes_rows_writes_an_event(unrecorded: dict[str, set[str]]) -> None:
    found = {name: sorted(how) for name, how in unrecorded.items() if name not in EXCEPTIONS}
    assert found == {}, "record an event in the same transaction, or name the function with its reason in EXCEPTIONS"


def test_no_exception_stands_for_something_that_is_gone(unrecorded: dict[str, set[str]]) -> None:
    assert EXCEPTIONS.keys() - unrecorded.keys() == set()


def test_the_reading_finds_the_writing_of_every_floor() -> None:
    """So that finding nothing means something: what is known to write is seen to."""
    writing = {name for name, function in Graph(sources()).functions.items() if function.writes}
    assert writing >= {
        "apps.corpus.services.documents.document_delete",
        "apps.corpus.services.ingest.store.store_vectors",
        "apps.intents.services.drafts.draft_save",
        "apps.intents.services.golden._take_over",  # by a statement in golden.sql
        "apps.quality.services.evaluation.evaluation_query_remove",
        "apps.tenants.services.members.membership_revoke",
    }


_HEAD = """
from apps.audit.services import record
from apps.corpus.models import Document
"""
_UNRECORDED = {
    "a row that is saved": "def act(row):\n    row.save(update_fields=['title'])",
    "a row that is removed": "def act(row):\n    row.delete()",
    "a queryset": "def act():\n    Document.objects.filter(id=1).update(title='x')",
    "a queryset by a name": "def act():\n    found = Document.objects.filter(id=1)\n    found.exclude(id=2).delete()",
    "a manager of a row": "def act(version):\n    version.intents.filter(name='x').update(mode='y')",
    "a statement": "def act(cursor):\n    cursor.execute('DELETE FROM corpus_document')",
    "a statement with names in it": "def act(cursor, t):\n    cursor.execute(f'UPDATE {t} SET x = 1')",
    "a statement by a name": "_ADD = 'INSERT INTO t VALUES (1)'\n\ndef act(cursor):\n    cursor.execute(_ADD)",
    "an admin's method": "class DocumentAdmin:\n    def act(self, request, row):\n        row.save()",
    "a function within a view": "def act(page):\n    def yes():\n        Document.objects.create()\n    page(yes)",
    "a failure's record alone": "from apps.tenants.context import record_failure\n\ndef act(row):\n"
    "    record_failure(action='x')\n    row.save()",
    "a scope that is opened": "from apps.tenants.context import open_scope\n\ndef act(row):\n"
    "    with open_scope():\n        row.save()",
    "a record of another name": "def record(**more): ...\n\ndef act(row):\n    record(action='x')\n    row.save()",
    "one of two callers that records": "def act(row):\n    row.save()\n\ndef one(row):\n    act(row)\n    record()\n\n"
    "def other(row):\n    act(row)",
}
_RECORDED = {
    "by itself": "def act(row):\n    row.save()\n    record(action='x')",
    "by a helper": "def act(row):\n    row.save()\n    _tell(row)\n\ndef _tell(row):\n    record(action='x')",
    "by its callers": "def act(row):\n    row.save()\n\ndef one(row):\n    act(row)\n    record(action='x')",
    "by another module": "from apps.corpus.services.ingest.events import record_document_event as tell\n\n"
    "def act(row):\n    row.save()\n    tell(row)",
    "by another method": "class A:\n    def act(self, row):\n        row.save()\n        self._tell()\n\n"
    "    def _tell(self):\n        record(action='x')",
    "what is no row": "def act(buffer, seen, document, client):\n    seen.update({1})\n    document.save(buffer)\n"
    "    client.chat.create(x=1)",
    "words about a statement": 'def act():\n    """As DELETE FROM does."""',
}


def _planted(text: str) -> set[str]:
    planted = {"apps.planted.services.fault": _HEAD + text}
    return {name for name in Graph({**sources(), **planted}).unrecorded() if name.startswith("apps.planted")}


@pytest.mark.parametrize("name", _UNRECORDED)
def test_a_planted_change_without_an_event_is_found(name: str) -> None:
    (found,) = _planted(_UNRECORDED[name])
    assert found.endswith(".act")


@pytest.mark.parametrize("name", _RECORDED)
def test_a_change_that_is_recorded_is_not_accused(name: str) -> None:
    assert _planted(_RECORDED[name]) == set()


def test_a_service_that_loses_its_event_is_found() -> None:
    """The real one, with the call taken out."""
    found = sources()
    name = "apps.corpus.services.documents"
    whole = found[name]
    found[name] = whole.replace("record_document_event(\n            DELETED,", "dict(\n            DELETED,")
    assert found[name] != whole
    assert f"{name}.document_delete" in Graph(found).unrecorded()
