"""Histories that the real services make, with what the gates answer in each moment, for tests of the access centre.

Policies are submitted, approved, put in force by their time and withdrawn; documents are read, replaced, filed as
another kind, restricted, given back and removed by runs; members, keys and grants come and go. After each step the
gates are asked for every holder (live_gates.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random
from uuid import UUID, uuid4

from django.utils import timezone

from apps.corpus.models import Document, DocumentStatus, IngestJob
from apps.corpus.services.correct import document_correct
from apps.corpus.services.removals import document_remove
from apps.erasure.contracts import RunState, Target, TargetType
from apps.erasure.hold_services import hold_place, hold_release
from apps.erasure.holds.restrictions import lift, restrict
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import Because
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey, Membership, Scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_revoke, api_key_rotate
from apps.tenants.services.members import membership_revoke
from apps.tenants.services.people import membership_scopes_set
from apps.tenants.services.tenants import scope_create
from tests.audit.removing import carried_out
from tests.corpus.ingesting import ingest, run
from tests.deciding import run_approve, version_approve, version_withdraw
from tests.factories import Firm, as_, make_key, make_member, make_personal_key
from tests.intents.live_gates import WORD, Gates, Met
from tests.intents.reviewing import submitted

KINDS = ("run", "methodology", "org_profile", "schedule")


@dataclass
class Story:
    firm: Firm
    random: Random
    gates: Gates
    people: dict[str, Principal] = field(default_factory=dict)
    restricted: list[tuple[UUID, Callable[[], None]]] = field(default_factory=list)
    scheduled: PolicyVersion | None = None
    begins: datetime | None = None
    met: list[Met] = field(default_factory=list)
    steps: set[str] = field(default_factory=set)

    def begin(self) -> None:
        for name, role in (
            *(("olga", Role.COMPLIANCE_OFFICER), ("rita", Role.REVIEWER), ("dora", Role.DPO)),
            *(("ada", Role.AUDITOR), ("tom", Role.TENANT_ADMIN), ("ann", Role.ANALYST)),
        ):
            self.people[name] = make_member(self.firm, name, role)
            self.gates.users.append(name)
        make_member(self.firm, "ben", Role.ANALYST, scopes=["fund:alpha"])
        self.gates.users.append("ben")
        self.upload()

    def step(self, name: str) -> None:
        getattr(self, name)()
        self.look()

    # --- What happens ---

    def approve_now(self) -> None:
        self.wait()
        version = submitted(self.people["olga"], self.turned)
        with as_(self.people["rita"]):
            version_approve(version.id)

    def approve_for_later(self) -> None:
        """Another step, and what everybody meets then, comes before the version's time."""
        self.wait()
        version = submitted(self.people["olga"], self.turned)
        self.begins = timezone.now() + timedelta(seconds=2)
        with as_(self.people["rita"]):
            version_approve(version.id, effective_from=self.begins)
        self.scheduled = version

    def withdraw(self) -> None:
        self.approve_for_later()
        self.look()
        assert self.scheduled is not None
        if self.begins and timezone.now() < self.begins - timedelta(seconds=1):
            with as_(self.people["olga"]):
                version_withdraw(self.scheduled.id, reason="Not yet.")
            self.begins = self.scheduled = None

    def turned(self, snapshot: PolicySnapshot) -> PolicySnapshot:
        """Another kind for one intent, or one less."""
        place = self.random.randrange(len(snapshot.intents))
        rule, kind = snapshot.intents[place], self.random.choice(KINDS)
        kinds = tuple(each for each in snapshot.kinds if (each in rule.kinds) != (each.value == kind))
        intents = [replace(rule, kinds=kinds) if rule is each else each for each in snapshot.intents]
        return replace(
            snapshot,
            intents=tuple(intents) if kinds else snapshot.intents,
            total_cap_chars=snapshot.total_cap_chars + 1,
            classifier=replace(snapshot.classifier, minimum_golden_accuracy=0.0),
        )

    def wait(self) -> None:
        if self.begins is not None:
            time.sleep(max(0.0, (self.begins - timezone.now()).total_seconds()) + 0.05)
            self.begins = self.scheduled = None
            self.look()

    def upload(self) -> None:
        self.read(self.new())

    def replace_document(self) -> None:
        if (old := self.any_document()) is not None:
            self.read(self.new(replaces=old, scope=self.scope_of(old)))

    def replace_late(self) -> None:
        """The older one of two versions becomes ready after the newer: no question ever finds it."""
        if (old := self.any_document()) is not None:
            scope = self.scope_of(old)
            first = self.new(replaces=old, scope=scope)
            second = self.new(replaces=first.document_id, scope=scope)
            self.read(second)
            self.look()
            self.read(first)

    def refile(self) -> None:
        if (old := self.any_document()) is not None:
            with as_(self.people["tom"]):
                kind = Document.objects.get(id=old).kind
                made = document_correct(
                    document_id=old, changes={}, kind=self.random.choice([k for k in KINDS if k != kind])
                )
                job = IngestJob.objects.get(document_id=made.id)
            self.gates.documents[made.id] = None
            self.look()
            self.read(job)

    def restrict(self) -> None:
        if (id := self.any_document()) is not None:
            targets, request = [Target(type=TargetType.DOCUMENT, id=id)], uuid4()
            with as_(self.people["dora"]):
                restrict(targets, Because.REQUEST, request)

            def back() -> None:
                with as_(self.people["dora"]):
                    lift(targets, Because.REQUEST, request)

            self.restricted.append((id, back))

    def hold(self) -> None:
        if (id := self.any_document()) is not None:
            owner = self.people["dora"].id
            assert owner is not None
            with as_(self.people["dora"]):
                hold = hold_place(
                    matter="A claim",
                    ground="A court's order",
                    owner_id=owner,
                    review_on=timezone.now().date() + timedelta(days=9),
                    targets=[Target(type=TargetType.DOCUMENT, id=id)],
                )

            def back() -> None:
                with as_(self.people["dora"]):
                    hold_release(hold_id=hold.id, reason="Settled.")

            self.restricted.append((id, back))

    def give_back(self) -> None:
        if self.restricted:
            self.restricted.pop(self.random.randrange(len(self.restricted)))[1]()

    def remove(self) -> None:
        if (id := self.any_document(DocumentStatus.READY, DocumentStatus.SUPERSEDED)) is not None:
            with as_(self.people["dora"]):
                removal = document_remove(document_id=id, reason=RemovalReason.DUPLICATE, words="Twice.")
            assert removal is not None
            self.look()
            with as_(self.people["rita"]):
                run_approve(removal.id)
            self.look()
            assert carried_out(self.firm, removal) is RunState.COMPLETED

    def grant(self) -> None:
        with open_scope(tenant=self.firm.id, reason="a test"):
            held = list(Membership.objects.filter(user__username__in=["ann", "ben"], revoked_at__isnull=True))
            scopes = sorted(Scope.objects.all(), key=lambda each: each.key)
            if held:
                wanted = self.random.sample(scopes, self.random.randint(1, 2))
                membership_scopes_set(self.random.choice(held), scopes=wanted)

    def come(self) -> None:
        name = self.random.choice(["ann", "ben", f"eve{len(self.gates.users)}"])
        with open_scope(tenant=self.firm.id, reason="a test"):
            roles = {each.role for each in Membership.objects.filter(user__username=name, revoked_at__isnull=True)}
        free = [each for each in (Role.ANALYST, Role.AUDITOR, Role.TENANT_ADMIN) if each not in roles]
        if free:
            make_member(self.firm, name, self.random.choice(free), scopes=[self.random.choice(list(self.firm.scopes))])
            self.gates.users.extend({name} - set(self.gates.users))

    def leave(self) -> None:
        with open_scope(tenant=self.firm.id, reason="a test"):
            mine = Membership.objects.filter(user__username__in=["ann", "ben"], revoked_at__isnull=True)
            if found := sorted(mine, key=lambda each: each.created_at):
                membership_revoke(self.random.choice(found))

    def make_scope(self) -> None:
        key = f"fund:f{len(self.firm.scopes)}"
        parent = self.random.choice(list(self.firm.scopes.values()))
        with open_scope(tenant=self.firm.id, reason="a test"):
            self.firm.scopes[key] = scope_create(key=key, name=key, parent=parent)

    def make_key(self) -> None:
        made, plain = make_key(
            self.firm, self.random.choice(list(Role)), scopes=[self.random.choice(list(self.firm.scopes))]
        )
        assert made.id is not None
        self.gates.keys[made.id] = plain

    def make_own_key(self) -> None:
        made, plain = make_personal_key(self.firm, "olga", role=Role.COMPLIANCE_OFFICER, scopes=["fund:alpha"])
        assert made.key_id is not None
        self.gates.keys[made.key_id] = plain

    def end_key(self) -> None:
        if self.gates.keys:
            with open_scope(tenant=self.firm.id, reason="a test"):
                api_key_revoke(ApiKey.objects.get(id=self.random.choice(list(self.gates.keys))))

    def rotate_key(self) -> None:
        with open_scope(tenant=self.firm.id, reason="a test"):
            found = sorted(
                ApiKey.objects.filter(person__isnull=True, revoked_at__isnull=True), key=lambda each: each.created_at
            )
            if found:
                made, plain = api_key_rotate(self.random.choice(found))
                self.gates.keys[made.id] = plain

    # --- Documents ---

    def new(self, *, replaces: UUID | None = None, scope: str = "") -> IngestJob:
        """A version of its own words, so that no upload is taken for a repeated one."""
        text = f"# Report {uuid4().hex}\n\nThe maximum {WORD} of the fund was {self.random.random():.4f} %.\n"
        result = ingest(
            self.firm,
            text.encode(),
            filename=f"{uuid4().hex}.md",
            scope=scope or self.random.choice(["firm:acme", "fund:alpha", "fund:beta"]),
            kind=self.random.choice(KINDS),
            **({"replaces": replaces} if replaces else {}),
        )
        assert result.job is not None
        self.gates.documents[result.document.id] = None
        return result.job

    def read(self, job: IngestJob) -> None:
        run(self.firm, job)

    def any_document(self, *states: DocumentStatus) -> UUID | None:
        """Return one that is not restricted, and without a version that waits."""
        hidden = {id for id, _ in self.restricted}
        with open_scope(tenant=self.firm.id, reason="a test"):
            there = Document.objects.filter(id__in=self.gates.documents.keys() - hidden).order_by("created_at", "id")
            free = list(there.filter(status__in=states or [DocumentStatus.READY]).values_list("id", flat=True))
        return self.random.choice(free) if free else None

    def scope_of(self, id: UUID) -> str:
        with open_scope(tenant=self.firm.id, reason="a test"):
            return str(Document.objects.get(id=id).scope.key)

    def look(self) -> None:
        """Ask all gates, and note it: unless a version came into force while they were asked."""
        met = self.gates.answer()
        if self.begins is None or not met.at <= self.begins <= timezone.now():
            self.met.append(met)


STEPS = (
    *("approve_now", "approve_for_later", "withdraw", "upload", "replace_document", "replace_late", "refile"),
    *("restrict", "hold", "give_back", "remove", "grant", "come", "leave"),
    *("make_scope", "make_key", "make_own_key", "end_key", "rotate_key"),
)
