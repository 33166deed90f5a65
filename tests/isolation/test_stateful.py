"""Grants, revocations, ingests, questions, exports and erasures in any order: everybody sees theirs, no row more."""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from apps.audit.models import Event
from apps.corpus.errors import DocumentNotFoundError, RemovalByTwoError
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Chunk, Document, Embedding384, Embedding768, IngestJob, SourceFile
from apps.corpus.services.documents import BELOW, document_delete, document_export
from apps.errors import ApplicationError
from apps.retrieval.presentation import asked_json
from apps.retrieval.services.ask import ask
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey, Membership, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.grants import key_principal, user_principal
from apps.tenants.services.api_keys import api_key_authenticate, api_key_create, api_key_revoke
from apps.tenants.services.members import grants_set, membership_grant, membership_revoke
from apps.tenants.services.people import membership_scopes_set
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_firm, make_user
from tests.isolation.harness import rolled_back, sql, wall_down
from tests.isolation.model import PLACES, SCOPES, Holder, Model, Place, Stored
from tests.isolation.world import QUESTION
from tests.model_server import hashed_vector

pytestmark = pytest.mark.slow

TABLES = tuple(model._meta.db_table for model in (Document, *BELOW))
EVENTS = Event._meta.db_table
# What an upload makes by itself, before its job has run.
BROUGHT = {model._meta.db_table for model in (Document, SourceFile, IngestJob)}
_ALL_ROWS = " UNION ALL ".join(f"SELECT '{table}', id FROM {table}" for table in (*TABLES, EVENTS))
_ROWS_OF_ONE = " UNION ALL ".join(
    f"SELECT '{table}', id FROM {table} WHERE {'id' if table == TABLES[0] else 'document_id'} = %s" for table in TABLES
)
# Those that may do different things: ask and add, delete as well, and only look.
ROLES = (Role.ANALYST, Role.TENANT_ADMIN, Role.AUDITOR)
PEOPLE = ("ann", "amy", "ben")

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Play:
    """The real thing and its model, moved together. Everything happens in the transaction that is open."""

    firms: dict[str, Firm]
    people: dict[str, User]
    model: Model
    keys: dict[Holder, str] = field(default_factory=dict)
    waiting: list[tuple[Holder, UUID, IngestJob]] = field(default_factory=list)

    def holders(self) -> list[Holder]:
        """Everybody who might ask, and those who may no more or never could."""
        return [Holder(firm, person) for firm in self.firms for person in self.people] + list(self.keys)

    def again(self) -> Play:
        """A copy to go on from, for one example."""
        return Play(
            firms=self.firms,
            people=self.people,
            model=copy.deepcopy(self.model),
            keys=dict(self.keys),
            waiting=list(self.waiting),
        )

    # --- Grants -----------------------------------------------------------------------------------------------------

    def give(self, person: str, place: Place, role: Role) -> None:
        firm = self.firms[place.firm]
        with open_scope(tenant=firm.id, reason="a test"):
            membership_grant(user=self.people[person], role=role, scopes=[firm.scopes[place.scope]])
        self.model.give(Holder(place.firm, person), role, place.scope)

    def move(self, holder: Holder, role: Role, scopes: set[str]) -> None:
        """Make a person's role reach exactly these scopes."""
        firm = self.firms[holder.firm]
        with open_scope(tenant=firm.id, reason="a test"):
            membership_scopes_set(self._membership(holder, role), scopes=[firm.scopes[key] for key in scopes])
        self.model.granted[holder][role] = set(scopes)

    def revoke(self, holder: Holder, role: Role) -> None:
        with open_scope(tenant=self.firms[holder.firm].id, reason="a test"):
            membership_revoke(self._membership(holder, role))
        self.model.take(holder, role)

    def _membership(self, holder: Holder, role: Role) -> Membership:
        valid = Membership.objects.filter(user_id=self.people[holder.name].id, revoked_at__isnull=True)
        found: Membership = valid.get(role=role)
        return found

    def make_key(self, place: Place, role: Role) -> Holder:
        firm = self.firms[place.firm]
        holder = Holder(place.firm, f"key {len(self.keys)}")
        with open_scope(tenant=firm.id, reason="a test"):
            _, self.keys[holder] = api_key_create(name=holder.name, role=role, scopes=[firm.scopes[place.scope]])
        self.model.give(holder, role, place.scope)
        return holder

    def move_key(self, holder: Holder, scopes: set[str]) -> None:
        firm = self.firms[holder.firm]
        with open_scope(tenant=firm.id, reason="a test"):
            grants_set(api_key=self._key(holder), scopes=[firm.scopes[key] for key in scopes])
        (role,) = self.model.granted[holder]
        self.model.granted[holder][role] = set(scopes)

    def revoke_key(self, holder: Holder) -> None:
        with open_scope(tenant=self.firms[holder.firm].id, reason="a test"):
            api_key_revoke(self._key(holder))
        del self.model.granted[holder]

    def _key(self, holder: Holder) -> ApiKey:
        found: ApiKey = ApiKey.objects.get(name=holder.name)
        return found

    def principal(self, holder: Holder) -> Principal:
        """As a request would read them, at this moment. Raises for whom no request would be answered."""
        if holder in self.keys:
            return key_principal(api_key_authenticate(self.keys[holder]))
        return user_principal(self.people[holder.name], self.firms[holder.firm].id)

    @contextmanager
    def acting(self, holder: Holder, *, allowed: bool) -> Iterator[Principal | None]:
        """Open the holder's scopes; None, where the model says that there is nobody. What is not allowed must raise."""
        if not self.model.is_known(holder):
            with pytest.raises(ApplicationError):
                self.principal(holder)
            yield None
            return
        principal = self.principal(holder)
        if allowed:
            with open_scope(tenant=principal.tenant_id, principal=principal):
                yield principal
        else:
            with pytest.raises(ApplicationError), open_scope(tenant=principal.tenant_id, principal=principal):
                yield principal

    # --- What is done with documents --------------------------------------------------------------------------------

    def ingest(self, holder: Holder, place: Place) -> None:
        """Take a document in; its job waits."""
        may = self.model.may(holder, Permission.DOCUMENT_ADD)
        allowed = may and place.firm == holder.firm and place.scope in self.model.reach(holder)
        word = f"kestrel{len(self.model.documents):03d}"
        with self.acting(holder, allowed=allowed) as principal:
            if principal is not None:
                made = ingest(self.firms[place.firm], text_of(word), scope=place.scope, principal=principal)
                self.model.documents[made.document.id] = Stored(place=place, word=word)
                self.waiting.append((holder, made.document.id, made.job))
                self._remember_rows(made.document.id)

    def run_next_job(self) -> None:
        """The worker reads the grants again: whoever lost them since has brought nothing."""
        holder, document_id, job = self.waiting.pop(0)
        stored = self.model.documents[document_id]
        expected = RunOutcome.NOT_CLAIMED
        if not stored.erased:
            may = self.model.may(holder, Permission.DOCUMENT_ADD) and stored.place.scope in self.model.reach(holder)
            expected = RunOutcome.SUCCEEDED if may else RunOutcome.FAILED
        assert run(self.firms[stored.place.firm], job) is expected
        if expected is RunOutcome.SUCCEEDED:
            self._add_vectors_of_another_model(document_id)
        self._remember_rows(document_id)
        # All of it is there or nothing but what was brought.
        tables = (
            set(TABLES) if expected is RunOutcome.SUCCEEDED else {"corpus_sourcefile", "corpus_ingestjob", TABLES[0]}
        )
        assert set(stored.rows) == (set() if stored.erased else tables)

    def _add_vectors_of_another_model(self, document_id: UUID) -> None:
        """The test's provider fills one of the tables of vectors."""
        with open_scope(tenant=self._firm_of(document_id).id, reason="a test"):
            for chunk in Chunk.objects.filter(document_id=document_id, is_parent=False):
                for model, dimension in ((Embedding384, 384), (Embedding768, 768)):
                    model._default_manager.create(
                        tenant_id=chunk.tenant_id,
                        scope_id=chunk.scope_id,
                        document_id=document_id,
                        chunk=chunk,
                        kind=chunk.kind,
                        model="another",
                        vector=hashed_vector(chunk.text, dimension).tolist(),
                    )

    def _remember_rows(self, document_id: UUID) -> None:
        with open_scope(tenant=self._firm_of(document_id).id, reason="a test"):
            found = by_table(sql(_ROWS_OF_ONE, *[document_id] * len(TABLES)))
        self.model.documents[document_id].rows = {table: frozenset(rows) for table, rows in found.items()}

    def _firm_of(self, document_id: UUID) -> Firm:
        return self.firms[self.model.documents[document_id].place.firm]

    def erase(self, holder: Holder, document_id: UUID) -> None:
        may = self.model.may(holder, Permission.DOCUMENT_DELETE)
        allowed = may and self.model.sees(holder, document_id)
        with self.acting(holder, allowed=allowed) as principal:
            if principal is not None:
                # Who may, and sees it, is told that it takes two; everybody else, that it is not there or not theirs.
                with suppress(RemovalByTwoError):
                    document_delete(document_id=document_id)
        if allowed:
            with open_scope(tenant=self._firm_of(document_id).id, reason="a test"), suppress(DocumentNotFoundError):
                document_delete(document_id=document_id)
            self.model.documents[document_id].erased = True
            self._remember_rows(document_id)
            assert self.model.documents[document_id].rows == {}

    def export(self, holder: Holder, document_id: UUID) -> None:
        seen = self.model.sees(holder, document_id)
        with self.acting(holder, allowed=True) as principal:
            if principal is None:
                return
            document = Document._base_manager.filter(id=document_id).first()
            assert (document is not None) == seen
            parts = document_export(document) if document is not None else iter(())
        # Sent when the transaction of the request is over.
        if seen:
            assert b"".join(parts) == text_of(self.model.documents[document_id].word)

    def ask(self, holder: Holder) -> None:
        allowed = self.model.may(holder, Permission.QUESTION_ASK)
        with self.acting(holder, allowed=allowed) as principal:
            if principal is None:
                return
            asked = ask(text=QUESTION)
            for citation in asked.result.answer.citations:
                assert self.model.sees(holder, UUID(str(citation.document_id)))
            told = json.dumps(asked_json(asked, trace=True))
            assert {word for word in self.model.hidden_words(holder) if word in told} == set()

    # --- The check --------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Everybody sees of every table the rows that the model gives them, and no others."""
        self._remember_events()
        wrong: list[str] = []
        for holder in self.holders():
            if not self.model.is_known(holder):
                with pytest.raises(ApplicationError):
                    self.principal(holder)
                continue
            principal = self.principal(holder)
            with open_scope(tenant=principal.tenant_id, principal=principal):
                seen = by_table(sql(_ALL_ROWS))
            for table in (*TABLES, EVENTS):
                given = self.model.visible_events(holder) if table == EVENTS else self.model.rows(holder, table)
                if seen[table] != given:
                    too_many, too_few = len(seen[table] - given), len(given - seen[table])
                    wrong.append(f"{holder} in {table}: {too_many} too many, {too_few} too few")
        assert not wrong, "; ".join(wrong)

    def _remember_events(self) -> None:
        """What was recorded is not what is tried here, only who sees it: the scopes stand on the event itself."""
        for name, firm in self.firms.items():
            keys = {scope.id: key for key, scope in firm.scopes.items()}
            with open_scope(tenant=firm.id, reason="a test"):
                recorded = sql(f"SELECT id, scope_ids FROM {EVENTS} WHERE tenant_id = %s", firm.id)
            self.model.events[name] = {event: frozenset(keys[scope] for scope in scopes) for event, scopes in recorded}


def by_table(rows: Sequence[tuple[str, UUID]]) -> defaultdict[str, set[UUID]]:
    found: defaultdict[str, set[UUID]] = defaultdict(set)
    for table, row in rows:
        found[table].add(row)
    return found


def text_of(word: str) -> bytes:
    return (
        f"# Quarterly report {word}\n\n## Performance\n\n"
        f"The maximum drawdown in the fourth quarter was 12.5 %, as {word} reported to the board.\n"
    ).encode()


def make_play() -> Play:
    """Ann in one scope alone, Amy in both firms, Ben in all of his; a key of each firm; a document in each scope."""
    firms = {name: make_firm(name, funds=[each.removeprefix("fund:") for each in SCOPES[name][1:]]) for name in SCOPES}
    play = Play(firms=firms, people={name: make_user(name) for name in PEOPLE}, model=Model())
    play.give("ann", Place("acme", "fund:alpha"), Role.ANALYST)
    play.give("amy", Place("acme", "firm:acme"), Role.TENANT_ADMIN)
    play.give("amy", Place("bolt", "fund:alpha"), Role.ANALYST)
    play.give("ben", Place("bolt", "firm:bolt"), Role.TENANT_ADMIN)
    play.move_key(play.make_key(Place("acme", "fund:alpha"), Role.ANALYST), {"fund:alpha", "fund:beta"})
    play.make_key(Place("bolt", "fund:alpha"), Role.ANALYST)
    for place in PLACES:
        play.ingest(Holder(place.firm, "amy" if place.firm == "acme" else "ben"), place)
        play.run_next_job()
    return play


# --- Any order ------------------------------------------------------------------------------------------------------

people = st.sampled_from(PEOPLE)
places = st.sampled_from(PLACES)
roles = st.sampled_from(ROLES)
# Which of those that there are then.
numbers = st.integers(0, 999)


class AnyOrder(RuleBasedStateMachine):
    def __init__(self, ground: Play) -> None:
        super().__init__()
        self._example = transaction.atomic()
        self._example.__enter__()
        self.play = ground.again()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self._example.__exit__(None, None, None)

    # --- Grants -----------------------------------------------------------------------------------------------------

    @rule(person=people, place=places, role=roles)
    def give(self, person: str, place: Place, role: Role) -> None:
        self.play.give(person, place, role)

    @precondition(lambda self: self._memberships())
    @rule(which=numbers, scopes=st.sets(numbers, max_size=2))
    def move(self, which: int, scopes: set[int]) -> None:
        holder, role = chosen(self._memberships(), which)
        self.play.move(holder, role, {chosen(SCOPES[holder.firm], each) for each in scopes})

    @precondition(lambda self: self._memberships())
    @rule(which=numbers)
    def revoke(self, which: int) -> None:
        self.play.revoke(*chosen(self._memberships(), which))

    @rule(person=people)
    def forget(self, person: str) -> None:
        """All that a person was granted ends, in every firm."""
        for holder, role in self._memberships():
            if holder.name == person:
                self.play.revoke(holder, role)

    @precondition(lambda self: len(self.play.keys) < 5)
    @rule(place=places, role=roles)
    def make_key(self, place: Place, role: Role) -> None:
        self.play.make_key(place, role)

    @precondition(lambda self: self._valid_keys())
    @rule(which=numbers, scopes=st.sets(numbers, max_size=2))
    def move_key(self, which: int, scopes: set[int]) -> None:
        holder = chosen(self._valid_keys(), which)
        self.play.move_key(holder, {chosen(SCOPES[holder.firm], each) for each in scopes})

    @precondition(lambda self: self._valid_keys())
    @rule(which=numbers)
    def revoke_key(self, which: int) -> None:
        self.play.revoke_key(chosen(self._valid_keys(), which))

    # --- Documents --------------------------------------------------------------------------------------------------

    @rule(who=numbers, where=numbers)
    def ingest(self, who: int, where: int) -> None:
        holder = self._somebody(who)
        within = [Place(holder.firm, scope) for scope in sorted(self.play.model.reach(holder))]
        self.play.ingest(holder, often(within, PLACES, where))

    @precondition(lambda self: self.play.waiting)
    @rule()
    def run_next_job(self) -> None:
        self.play.run_next_job()

    @precondition(lambda self: any(self.play.model.is_known(holder) for holder, *_ in self.play.waiting))
    @rule()
    def revoke_whose_job_waits(self) -> None:
        waiting = {holder for holder, *_ in self.play.waiting}
        for holder, role in self._memberships():
            if holder in waiting:
                self.play.revoke(holder, role)
        for holder in self._valid_keys():
            if holder in waiting:
                self.play.revoke_key(holder)

    @rule(who=numbers, what=numbers)
    def erase(self, who: int, what: int) -> None:
        holder = self._somebody(who)
        self.play.erase(holder, self._some_document(holder, what))

    @rule(who=numbers, what=numbers)
    def export(self, who: int, what: int) -> None:
        holder = self._somebody(who)
        self.play.export(holder, self._some_document(holder, what))

    @rule(who=numbers)
    def ask(self, who: int) -> None:
        self.play.ask(self._somebody(who))

    # --- What holds after each step ---------------------------------------------------------------------------------

    @invariant()
    def everybody_sees_theirs(self) -> None:
        self.play.check()

    def _memberships(self) -> list[tuple[Holder, Role]]:
        granted = self.play.model.granted.items()
        return [(holder, role) for holder, given in granted if holder not in self.play.keys for role in given]

    def _somebody(self, which: int) -> Holder:
        everybody = self.play.holders()
        return often([holder for holder in everybody if self.play.model.is_known(holder)], everybody, which)

    def _some_document(self, holder: Holder, which: int) -> UUID:
        all_documents = list(self.play.model.documents)
        return often([each for each in all_documents if self.play.model.sees(holder, each)], all_documents, which)

    def _valid_keys(self) -> list[Holder]:
        return [holder for holder in self.play.keys if self.play.model.is_known(holder)]


def chosen(things: Sequence[T], which: int) -> T:
    return things[which % len(things)]


def often(likely: Sequence[T], all_things: Sequence[T], which: int) -> T:
    """Three times of four one of the likely: what chance alone picks is hardly ever allowed."""
    return chosen(likely if likely and which % 4 else all_things, which // 4)


@pytest.mark.usefixtures("committed_ground")
def test_in_any_order_everybody_sees_theirs_and_no_row_more() -> None:
    with rolled_back():
        ground = make_play()
        # The first question of a firm embeds its examples; no example should have to.
        ground.ask(Holder("acme", "amy"))
        ground.ask(Holder("bolt", "ben"))
        run_state_machine_as_test(
            lambda: AnyOrder(ground),
            settings=settings(
                max_examples=8,
                stateful_step_count=20,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )


# --- What the check is worth ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("committed_ground")
def test_the_check_names_each_table_that_has_no_wall() -> None:
    with rolled_back():
        make_play().check()
    for tables in (["corpus_chunk"], [*TABLES, EVENTS]):
        with wall_down(tables):
            play = make_play()
            with pytest.raises(AssertionError, match="too many") as noticed:
                play.check()
        assert [table for table in (*TABLES, EVENTS) if f"in {table}:" in str(noticed.value)] == tables


@pytest.mark.usefixtures("committed_ground")
def test_the_check_notices_a_row_that_the_model_does_not_give_and_one_that_it_does() -> None:
    ann = Holder("acme", "ann")
    with rolled_back():
        play = make_play()
        play.check()
        play.ask(ann)
        play.export(ann, chosen(list(play.model.documents), 1))
        play.model.granted[ann][Role.ANALYST] = {"fund:beta"}
        with pytest.raises(AssertionError, match=r"[1-9]\d* too many, [1-9]\d* too few"):
            play.check()
        with pytest.raises(AssertionError):
            play.ask(ann)
        with pytest.raises(AssertionError):
            play.export(ann, chosen(list(play.model.documents), 1))
