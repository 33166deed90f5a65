"""Two firms in which every store of personal data holds something of every type of target, and of another one of each.

Acme   ann (fund:alpha; also a member of Bolt), bea, an evaluation question each, a key of each, rotated once,
       documents in fund:alpha (two versions of a report), fund:beta and fund:gamma, which lies below fund:beta
Bolt   a document, and ann, as an analyst
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.models import WebhookAttempt
from apps.audit.services import record
from apps.audit.webhooks.services import webhook_create, webhook_test
from apps.corpus.models import Chunk, Document, Embedding384, Embedding768
from apps.erasure.contracts import Target, TargetType
from apps.erasure.hold_services import hold_place, hold_release
from apps.erasure.models import Because, Restriction
from apps.erasure.retention.counting import count_tenant
from apps.erasure.runs.staying import Reason
from apps.intents.models import CertifiedGrant, GrantDecision, PolicyVersion, Recertification, ReviewComment
from apps.privacy.access_packages.quoting import Chosen, quotes_decide
from apps.privacy.access_packages.told import told_by_rules
from apps.privacy.codes.inventory import Decision, InventoryState, Quoting
from apps.privacy.codes.requests import Delivery, Purpose, Requester, SubjectType
from apps.privacy.inventory.asking import inventory_request
from apps.privacy.inventory.deciding import Said, hits_decide
from apps.privacy.inventory.runner import inventory_run
from apps.privacy.inventory.selectors import hits_of
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.letters import letter_settle
from apps.privacy.requests.services.receiving import request_receive
from apps.quality.models import EvaluationAnswer, EvaluationQuery, EvaluationRun, ImpactState, PolicyImpact
from apps.retrieval.kept.momentary import AnswerKey, JustGiven, remember
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import ApiKey, Grant, IdempotentRequest, Scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.personal_keys import personal_key_rotate
from apps.tenants.services.tenants import scope_create
from tests.audit.forging import able, superuser
from tests.corpus.ingesting import FIGURES, NAMES, REPORT, ingest, run
from tests.deciding import access_answer, identity_confirm, package_make
from tests.factories import Firm, make_firm, make_key, make_member, make_personal_key
from tests.isolation.harness import changed, sql
from tests.kept import answer_content_of, keep_answer, keep_research, send_question

# What rows are named by in which ann and bea stand: nothing else of the world holds these words.
ANN, BEA = "ann-of-the-alphas", "bea-of-the-betas"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalWorld:
    """documents: by name: alpha (a first version), alpha-2 (its second), beta, gamma, bolt."""

    acme: Firm
    bolt: Firm
    ann: Principal
    bea: Principal
    documents: dict[str, UUID] = field(default_factory=dict)

    def target(self, type: TargetType) -> Target:
        return Target(type=type, id=self._ids(type)[0])

    def other(self, type: TargetType) -> Target:
        return Target(type=type, id=self._ids(type)[1])

    def _ids(self, type: TargetType) -> tuple[UUID, UUID]:
        ann, bea = self.ann.id, self.bea.id
        assert ann is not None
        assert bea is not None
        return {
            TargetType.DOCUMENT: (self.documents["beta"], self.documents["alpha"]),
            TargetType.USER: (bea, ann),
            TargetType.SCOPE: (self.acme.scopes["fund:beta"].id, self.acme.scopes["fund:alpha"].id),
            TargetType.TENANT: (self.acme.tenant.id, self.bolt.tenant.id),
        }[type]


def make_removal_world() -> RemovalWorld:
    """Commits it. The embedding provider must be one without a model."""
    acme, bolt = make_firm("acme"), make_firm("bolt")
    with open_scope(tenant=acme.id, reason="a test"):
        acme.scopes["fund:gamma"] = scope_create(key="fund:gamma", name="Gamma", parent=acme.scopes["fund:beta"])
    world = RemovalWorld(
        acme=acme,
        bolt=bolt,
        ann=make_member(acme, ANN, Role.ANALYST),
        bea=make_member(acme, BEA, Role.ANALYST),
    )
    make_member(bolt, ANN, Role.ANALYST)
    for name, principal in (("alpha", world.ann), ("beta", world.bea), ("gamma", world.bea)):
        world.documents[name] = _document(acme, name, f"fund:{name}", principal=principal)
    world.documents["alpha-2"] = _document(acme, "alpha-2", "fund:alpha", replaces=world.documents["alpha"])
    world.documents["bolt"] = _document(bolt, "bolt", "fund:alpha")
    _previewed(world)
    _evaluated(acme, {name: world.documents[name] for name in ("alpha", "beta")})
    _evaluated(bolt, {"alpha": world.documents["bolt"]})
    for principal in (world.ann, world.bea):
        _known_of(world, principal)
        _answer_kept(world, principal)
    given_in_redis(world)
    for scope in ("fund:alpha", "fund:beta"):
        make_key(acme, scopes=[scope])
    for principal, scope in ((world.ann, "fund:alpha"), (world.bea, "fund:beta")):
        _certified(world, principal, scope)
    _tenants_own(bolt)
    _decided(world)
    _packaged(world)
    _sent_to_a_webhook(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        for name in ("alpha", "beta"):
            Restriction.objects.create(
                tenant_id=acme.id,
                scope_id=acme.scopes[f"fund:{name}"].id,
                document_id=world.documents[name],
                because=Because.REQUEST,
                because_id=uuid4(),
            )
    return world


def _decided(world: RemovalWorld) -> None:
    """A hold in Acme that was released, and a night of its retention rules."""
    dpo = make_member(world.acme, "dpo-of-acme", Role.DPO)
    assert dpo.id is not None
    with open_scope(tenant=world.acme.id, principal=dpo):
        held = hold_place(
            matter="A matter that ended",
            ground="A claim",
            owner_id=dpo.id,
            review_on=timezone.now().date() + timedelta(days=30),
            targets=[Target(type=TargetType.DOCUMENT, id=world.documents["gamma"])],
        )
        hold_release(hold_id=held.id, reason="Settled")
    with open_scope(tenant=world.acme.id, reason="a test"):
        count_tenant()


def _sent_to_a_webhook(firm: Firm) -> None:
    """An endpoint, a delivery and an attempt."""
    with open_scope(tenant=firm.id, reason="a test") as context:
        webhook, _ = webhook_create(
            url="https://hooks.example.com/", actions=["corpus.document.deleted"], scopes=context.scope_ids
        )
        delivery = webhook_test(webhook.id)
        WebhookAttempt.objects.create(
            tenant_id=firm.id, delivery_id=delivery.id, scope_ids=delivery.scope_ids, number=1, status=500
        )


def _packaged(world: RemovalWorld) -> None:
    """Two requests for access that were answered: about who is named like bea, of whom the package names the document
    in fund:beta and the account; and like ann."""
    officer = make_member(world.acme, "dpo-of-packages", Role.DPO)
    for name, username in (("alpha", ANN), ("beta", BEA)):
        with open_scope(tenant=world.acme.id, principal=officer):
            request = request_receive(
                purpose=Purpose.ACCESS,
                subject_type=SubjectType.DATA_SUBJECT,
                requester=Requester.PERSON,
                details=Details(aliases=(name, username)),
            )
            identity_confirm(request.id)
            made = inventory_request(request.id)
        assert inventory_run(tenant_id=world.acme.id, inventory_id=made.id) is InventoryState.DONE
        with open_scope(tenant=world.acme.id, principal=officer):
            them = {world.documents[name], (world.ann if username == ANN else world.bea).id}
            found = {hit.id: hit.target_id in them and hit.target_type != "event_group" for hit in hits_of(request)}
            said = {True: Reason.NAMED, False: Reason.NO_PERSON}
            hits_decide(
                request.id, [Said(hit_id=id, seen=Decision.OPEN, reason=said[is_them]) for id, is_them in found.items()]
            )
            quotes_decide(
                request.id,
                [Chosen(hit_id=id, seen="", quoting=Quoting.LEFT_OUT) for id, is_them in found.items() if is_them],
            )
            package_make(request.id, told=told_by_rules(request.language))
            access_answer(request.id, delivery=Delivery.POST)
            letter_settle(request.id, request.letters.get().id)


def _document(
    firm: Firm, name: str, scope: str, *, principal: Principal | None = None, replaces: UUID | None = None
) -> UUID:
    result = ingest(
        firm,
        REPORT + FIGURES + NAMES + f"\n\n{name} is what this one is about.\n".encode(),
        filename=f"{name}.md",
        scope=scope,
        principal=principal,
        replaces=replaces,
    )
    run(firm, result.job)
    with open_scope(tenant=firm.id, reason="a test"):
        stored: Document = Document.objects.get(id=result.document.id)
        assert stored.status == "ready", stored.error_detail
        children = Chunk.objects.filter(document=stored, is_parent=False)
        for model, dimension in ((Embedding384, 384), (Embedding768, 768)):
            model._default_manager.bulk_create(
                model(
                    tenant_id=firm.id,
                    scope_id=stored.scope_id,
                    document=stored,
                    chunk=chunk,
                    kind=chunk.kind,
                    model="small",
                    vector=[0.5] * dimension,
                )
                for chunk in children
            )
        for subject in (stored.id, result.job.id):
            _answered(firm, subject_id=subject, scopes=[ScopeId(stored.scope_id)], title=name)
    return UUID(str(stored.id))


def _answered(
    firm: Firm, *, subject_id: UUID, scopes: list[ScopeId], title: str, principal_id: UUID | None = None
) -> None:
    IdempotentRequest.objects.create(
        tenant_id=firm.id,
        principal_kind="user" if principal_id else "api_key",
        principal_id=principal_id or uuid4(),
        key_digest=uuid4().hex * 2,
        request_digest="0" * 64,
        scope_ids=scopes,
        subject_id=subject_id,
        replayable=True,
        status_code=201,
        body={"title": title},
        expires_at=timezone.now() + timedelta(hours=24),
    )


def _certified(world: RemovalWorld, principal: Principal, scope: str) -> None:
    """A grant in this scope that they confirmed, with a reason that names them."""
    with open_scope(tenant=world.acme.id, principal=able(principal)):
        grant = Grant.objects.get(api_key__person__isnull=True, scope=world.acme.scopes[scope], valid_to__isnull=True)
        made = Recertification.objects.create(
            tenant_id=world.acme.id,
            owner_ids=[principal.id],
            grant_count=1,
            due_at=timezone.now() + timedelta(days=30),
            started_by_id=principal.id,
        )
        certified = CertifiedGrant.objects.create(
            tenant_id=world.acme.id,
            recertification=made,
            grant_id=grant.id,
            scope_id=grant.scope_id,
            owner_id=principal.id,
        )
        CertifiedGrant.objects.filter(id=certified.id).update(
            decision=GrantDecision.CONFIRMED,
            reason=f"{ANN if principal is world.ann else BEA} says that it is needed.",
            decided_by_id=principal.id,
            decided_at=timezone.now(),
        )


def _known_of(world: RemovalWorld, principal: Principal) -> None:
    """What the tables know of a person in Acme, each by the person's own name."""
    username = ANN if principal is world.ann else BEA
    make_personal_key(world.acme, username, role=Role.ANALYST)
    with open_scope(tenant=world.acme.id, principal=principal):
        personal_key_rotate(ApiKey.objects.get(person_id=principal.id), expires_at=timezone.now() + timedelta(days=60))
        version = PolicyVersion.objects.get()
        with open_scope(tenant=world.acme.id, principal=able(principal)):
            ReviewComment.objects.create(
                tenant_id=world.acme.id,
                version=version,
                author_id=principal.id,
                author_label=username,
                text="So be it.",
            )
        # A revision is approved while it is in review, and the world has the baseline alone.
        with superuser() as administrator:
            administrator.execute(
                "INSERT INTO intents_policyapproval (tenant_id, version_id, revision, approver_id, approver_label, "
                "note) VALUES (%s, %s, %s, %s, %s, 'Fine.')",
                [world.acme.id, version.id, version.revision, principal.id, username],
            )
            administrator.execute(
                "INSERT INTO intents_absence (tenant_id, member_id, begins_at, ends_at, recorded_by_id) "
                "VALUES (%s, %s, now(), now() + interval '7 days', %s)",
                [world.acme.id, principal.id, principal.id],
            )
            administrator.execute(
                "INSERT INTO intents_notice (tenant_id, version_id, receiver_id, event_id, happening) "
                "VALUES (%s, %s, %s, uuidv7(), 'submitted')",
                [world.acme.id, version.id, principal.id],
            )
        name = "alpha" if username == ANN else "beta"
        document = Document.objects.get(id=world.documents[name])
        with open_scope(tenant=world.acme.id, principal=able(principal)):
            with open_scope(tenant=world.acme.id, reason="a test"):
                query = EvaluationQuery.objects.create(
                    tenant_id=world.acme.id,
                    scope_id=document.scope_id,
                    text=f"What is {name} about?",
                    series_id=document.series_id,
                    created_by=username,
                )
            record(
                action="retrieval.evaluation.added",
                core={"series_id": str(document.series_id), "pages": []},
                subject_type="evaluation_query",
                subject_id=query.id,
                scopes=[ScopeId(document.scope_id)],
            )
        _answered(
            world.acme, subject_id=uuid4(), scopes=[ScopeId(document.scope_id)], title="x", principal_id=principal.id
        )


def _answer_kept(world: RemovalWorld, principal: Principal) -> None:
    """An answer in the history of a person, from the document of their fund, and a question sent to the officers."""
    name = _fund(world, principal)
    scope_ids, document_ids = [world.acme.scopes[f"fund:{name}"].id], [world.documents[name]]
    keep_answer(principal, f"What is {name} about?", scope_ids=scope_ids, document_ids=document_ids)
    send_question(principal, f"What else is {name} about?", scope_ids=scope_ids)
    keep_research(principal, f"What is all of {name} about?", scope_ids=scope_ids, document_ids=document_ids)


def given_in_redis(world: RemovalWorld) -> None:
    """What Redis holds of ann and bea: how often they called, and an answer that each was just given."""
    for principal in (world.ann, world.bea):
        assert principal.id is not None
        cache.set(f"throttle:{world.acme.id}:user:{principal.id}", [1.0], timeout=600)
        name = _fund(world, principal)
        given = JustGiven(
            content=answer_content_of(f"What is {name} about?"),
            answer_html="",
            way_html="",
            scope_ids=(world.acme.scopes[f"fund:{name}"].id,),
            document_ids=(world.documents[name],),
        )
        remember(
            given, AnswerKey(tenant=world.acme.id, account=principal.id, event=principal.id, session_key="a session")
        )


def _fund(world: RemovalWorld, principal: Principal) -> str:
    return "alpha" if principal is world.ann else "beta"


def _previewed(world: RemovalWorld) -> None:
    """A preview that names the documents of alpha, asked for by ann an hour ago, and one of beta and gamma, by bea."""
    for revision, (principal, label, names) in enumerate(
        ((world.ann, ANN, ("alpha",)), (world.bea, BEA, ("beta", "gamma"))), start=1
    ):
        with open_scope(tenant=world.acme.id, principal=able(principal)):
            version = PolicyVersion.objects.get()
            documents = [str(world.documents[name]) for name in names]
            hits = [{"chunk_id": str(uuid4()), "document_id": id, "kind": "run"} for id in documents]
            with open_scope(tenant=world.acme.id, reason="a test"):
                PolicyImpact.objects.create(
                    tenant_id=world.acme.id,
                    version=version,
                    base=version,
                    revision=revision,
                    content_sha256="0" * 64,
                    base_sha256="0" * 64,
                    requested_at=timezone.now(),
                    requested_by=label,
                    state=ImpactState.DONE,
                    result={"recorded": {"changed": [{"shift": {"appearing": [], "vanishing": hits}}]}},
                )
            # What tells whose it is lies within seconds.
            record(
                action="retrieval.impact.requested",
                core={"number": 1, "revision": revision},
                subject_type="policy_version",
                subject_id=version.id,
            )


def _evaluated(firm: Firm, documents: dict[str, UUID]) -> None:
    """A run of the evaluation with an answer for each document, in the fund of its name."""
    with open_scope(tenant=firm.id, reason="a test"):
        run = EvaluationRun.objects.create(
            tenant_id=firm.id,
            dataset="own questions",
            started_at=timezone.now(),
            seen_at=timezone.now(),
            policy_number=1,
            policy_sha256="0" * 64,
            corpus_sha256="0" * 64,
            questions_sha256="0" * 64,
            documents=len(documents),
            chunks=1,
            questions=len(documents),
        )
        for position, (fund, document) in enumerate(documents.items(), start=1):
            EvaluationAnswer.objects.create(
                tenant_id=firm.id,
                scope_id=firm.scopes[f"fund:{fund}"].id,
                run=run,
                position=position,
                key=str(position),
                text=f"What is {fund} about?",
                found=[{"document": fund, "document_id": str(document), "page": 1, "page_end": 1}],
                document_ids=[document],
                elapsed_ms=1.0,
            )


def _tenants_own(firm: Firm) -> None:
    """Rows of Bolt in the tables in which it would have none."""
    with open_scope(tenant=firm.id, reason="a test"):
        version = PolicyVersion.objects.get()
        PolicyImpact.objects.create(
            tenant_id=firm.id,
            version=version,
            base=version,
            revision=1,
            content_sha256="0" * 64,
            base_sha256="0" * 64,
            requested_at=timezone.now(),
            requested_by="a test",
        )
        assert Scope.objects.count() == 3
    make_personal_key(firm, ANN, role=Role.ANALYST)


# --- Looking at everything, whoever acts ------------------------------------------------------------------------------

Rows = dict[str, frozenset[str]]


def under_way(firm: Firm, *targets: Target) -> tuple[str, ...]:
    """A superuser's statements that make a run which is being carried out and names the targets, or the whole firm:
    the eraser changes nothing that no such run covers."""
    run, proposer, approver = new_id(), uuid4(), uuid4()
    return (
        "SET LOCAL session_replication_role = replica",
        "INSERT INTO audit_removalrun (id, tenant_id, origin, origin_id, state, reason_code, made_in, frozen_at, "
        "proposed_by, approved_by, approved_at, attempts, lease_owner, error_code, rejection_code, "
        "proof, verification, end_events, staying, unproven_code) "
        f"VALUES ('{run}', '{firm.id}', 'request', '{run}', 'executing', 'erasure_request', '', now(), "
        f"'{proposer}', '{approver}', now(), 0, '', '', '', 'counts', '{{}}', '{{}}', '[]', '')",
        *(
            "INSERT INTO audit_removaltarget (tenant_id, run_id, type, item_id, part, outcome, ground) "
            f"VALUES ('{firm.id}', '{run}', '{target.type}', '{target.id}', '{target.part}', 'pending', '')"
            for target in targets or (Target(type=TargetType.TENANT, id=firm.tenant.id),)
        ),
        "SET LOCAL session_replication_role = origin",
    )


@contextmanager
def as_eraser(firm: Firm, *targets: Target) -> Iterator[None]:
    """A transaction with the rights of glassbox_eraser and the system's scope, rolled back, while a run goes on that
    names the targets, or the whole firm."""
    with changed(*under_way(firm, *targets)):
        sql("SET LOCAL ROLE glassbox_eraser")
        with open_scope(tenant=firm.id, reason="a test"):
            yield


def every_row() -> Rows:
    """Every row of every table of the transaction, as the superuser sees them: table -> rows as text."""
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
        )
        found = {}
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT t::text FROM "{table}" t')
            found[table] = frozenset(row[0] for row in cursor.fetchall())
        cursor.execute("SET LOCAL ROLE glassbox_eraser")
    return found


def naming(rows: Rows, word: str) -> dict[str, int]:
    """table -> how many of its rows name the word, as text; without the log, whose groups go another way."""
    counted = {table: sum(word in row for row in of_table) for table, of_table in rows.items()}
    return {table: count for table, count in counted.items() if count and not table.startswith("audit_")}
