"""Two firms that differ in one word a document: what an attack brings home tells whose wall it came through.

    Acme   firm:acme, fund:alpha, fund:beta      Bolt   firm:bolt, fund:alpha, fund:beta

In each scope lie a run, a reference report and a compliance profile. Their texts are the same but for the canary, a
made-up word that stands in the title, the text and the original file.

    ann     analyst of Acme in fund:alpha alone          amy    tenant administrator of Acme, all scopes
    ada     auditor of Acme, all scopes                  ben    analyst of Bolt, all scopes
    dan     data protection officer of Acme              dee    data protection officer of Bolt
    olga    an account without a membership (outsider)   root   a Django superuser without a membership
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID, uuid4

from django.utils import timezone

from apps.audit.models import Event, Verification, WebhookAttempt
from apps.audit.webhooks.services import webhook_create, webhook_test
from apps.corpus.models import Document, SourceFile
from apps.erasure.contracts import Target, TargetType
from apps.erasure.hold_services import hold_place
from apps.erasure.models import (
    Because,
    Purge,
    PurgeFigure,
    PurgePart,
    Restriction,
    RetentionCount,
    RetentionSchedule,
)
from apps.erasure.runs.staying import Reason
from apps.intents.models import CertifiedGrant, PolicyVersion, Recertification, ReviewComment
from apps.privacy.access_packages.quoting import Chosen, quotes_decide
from apps.privacy.access_packages.told import told_by_rules
from apps.privacy.codes.inventory import Decision, InventoryState, Quoting, Treatment
from apps.privacy.codes.requests import LetterKind, Purpose, Requester, SubjectType
from apps.privacy.inventory.asking import inventory_request
from apps.privacy.inventory.deciding import Said, document_treat, hits_decide
from apps.privacy.inventory.runner import inventory_run
from apps.privacy.inventory.selectors import hits_of
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.letters import letter_write
from apps.privacy.requests.services.receiving import request_receive
from apps.quality.models import EvaluationAnswer, EvaluationQuery, EvaluationRun, ImpactState, PolicyImpact
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, UserId
from apps.tenants.models import Grant, Membership, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.second_factor.resets import factor_reset_ask
from apps.tenants.services.invitations import member_invite
from tests.audit.forging import able, superuser
from tests.corpus.ingesting import FIGURES, ingest, run
from tests.deciding import identity_confirm, package_make
from tests.factories import Firm, make_firm, make_key, make_member, make_user
from tests.kept import keep_answer, keep_research, send_question

KINDS = ("run", "reference_report", "compliance_profile")
SCOPES = ("firm", "fund:alpha", "fund:beta")
PASSWORD = "correct horse battery staple"
KEPT = "What did nobody else ask?"
QUESTION = "What was the maximum drawdown in the fourth quarter?"


def canary(firm: str, scope: str) -> str:
    """The word that stands in the documents of this scope and nowhere else, such as kestrelacmealpha."""
    return f"kestrel{firm}{scope.rpartition(':')[2]}"


def content(firm: str, scope: str, kind: str) -> bytes:
    word = canary(firm, scope)
    return (
        f"# Quarterly {kind.replace('_', ' ')} {word}\n\n## Performance\n\n"
        f"The maximum drawdown in the fourth quarter was 12.5 %, as {word} reported to the board.\n"
        f"{FIGURES.decode()}\nIt had no others, as {word} reported to the board.\n"
        f"\n{word.title()} GmbH is a wholly owned subsidiary of {word.title()} Holding AG.\n"
    ).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """documents: (firm, scope, kind) -> the document's id, with scope one of SCOPES."""

    acme: Firm
    bolt: Firm
    people: dict[str, Principal]
    keys: dict[str, str]
    documents: dict[tuple[str, str, str], UUID] = field(default_factory=dict)

    def firm(self, slug: str) -> Firm:
        return {"acme": self.acme, "bolt": self.bolt}[slug]

    def scope_id(self, slug: str, scope: str) -> ScopeId:
        return ScopeId(self.firm(slug).scopes[scope_key(slug, scope)].id)

    def document(self, slug: str, scope: str, kind: str = "run") -> UUID:
        return self.documents[slug, scope, kind]


def scope_key(slug: str, scope: str) -> str:
    return f"firm:{slug}" if scope == "firm" else scope


def make_world() -> World:
    """Commits it, when no transaction is open. The embedding provider must be one without a model."""
    acme, bolt = make_firm("acme"), make_firm("bolt")
    world = World(
        acme=acme,
        bolt=bolt,
        people={
            "ann": make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"], password=PASSWORD),
            "amy": make_member(acme, "amy", Role.TENANT_ADMIN, password=PASSWORD),
            "ada": make_member(acme, "ada", Role.AUDITOR, password=PASSWORD),
            "ben": make_member(bolt, "ben", Role.ANALYST, password=PASSWORD),
            "dan": make_member(acme, "dan", Role.DPO, password=PASSWORD),
            "dee": make_member(bolt, "dee", Role.DPO, password=PASSWORD),
        },
        keys={
            "acme-alpha": make_key(acme, Role.ANALYST, scopes=["fund:alpha"])[1],
            "acme": make_key(acme, Role.TENANT_ADMIN)[1],
            "acme-auditor": make_key(acme, Role.AUDITOR)[1],
            "bolt": make_key(bolt, Role.TENANT_ADMIN)[1],
        },
    )
    make_user("olga", password=PASSWORD)
    make_user("root", password=PASSWORD, superuser=True)
    for slug in ("acme", "bolt"):
        for scope in SCOPES:
            for kind in KINDS:
                world.documents[slug, scope, kind] = _stored(world.firm(slug), slug, scope, kind)
            _asked_for(world, slug, scope)
        _evaluated(world, slug)
    for firm, person in ((acme, "dan"), (bolt, "dee")):
        _invited(firm)
        _lost(firm, world.people[person])
        _hooked(firm, world.people[person])
    for slug, person in (("acme", "amy"), ("bolt", "ben")):
        _commented(world.firm(slug), world.people[person])
        keep_answer(world.people[person], KEPT, scope_ids=world.people[person].scope_ids)
        send_question(world.people[person], KEPT, scope_ids=world.people[person].scope_ids)
        keep_research(world.people[person], KEPT, scope_ids=world.people[person].scope_ids)
        _foreseen(world.firm(slug))
        _verified(world.firm(slug))
        _asked_to_erase(world.firm(slug))
    _proven(acme, bolt)
    _recertified(acme, world.people["amy"], world.people["dan"])
    _recertified(bolt, world.people["ben"], world.people["dee"])
    for slug, person in (("acme", "dan"), ("bolt", "dee")):
        _held(world.firm(slug), world.people[person])
        _purged(world.firm(slug), world.people[person])
    return world


def _invited(firm: Firm) -> None:
    """Somebody who has not accepted, so that no tenant table is empty."""
    with open_scope(tenant=firm.id, reason="a test"):
        member_invite(email=f"nobody@{firm.tenant.slug}.example", role=Role.ANALYST, scopes=[firm.root], by_mail=False)


def _lost(firm: Firm, person: Principal) -> None:
    """A second factor that somebody is said to have lost, so that no tenant table is empty. As if an administrator."""
    asking = replace(person, roles=frozenset({Role.TENANT_ADMIN}))
    other = make_member(firm, f"lost-{firm.tenant.slug}", Role.AUDITOR)
    with open_scope(tenant=firm.id, principal=asking):
        factor_reset_ask(User.objects.get_by_id(UserId(other.id)), reason="a test")


def _hooked(firm: Firm, person: Principal) -> None:
    """A webhook of all scopes, and what was tried once to send it. As if an administrator."""
    asking = replace(person, roles=frozenset({Role.TENANT_ADMIN}))
    with open_scope(tenant=firm.id, principal=asking):
        webhook, _ = webhook_create(
            url=f"https://{firm.tenant.slug}.example.com/hook",
            actions=["corpus.document.ready"],
            scopes=asking.scope_ids,
        )
        delivery = webhook_test(webhook.id)
    with open_scope(tenant=firm.id, reason="a test"):
        WebhookAttempt.objects.create(
            tenant_id=firm.id,
            scope_ids=webhook.scope_ids,
            delivery_id=delivery.id,
            number=1,
            status=503,
            error="status",
        )


def _asked_for(world: World, slug: str, scope: str) -> None:
    """An evaluation question of the scope, with its canary in the words."""
    with open_scope(tenant=world.firm(slug).id, reason="a test"):
        EvaluationQuery.objects.create(
            tenant_id=world.firm(slug).id,
            scope_id=world.scope_id(slug, scope),
            text=f"What drawdown did {canary(slug, scope)} report?",
            series_id=Document.objects.get(id=world.document(slug, scope)).series_id,
            created_by="a test",
        )


def _evaluated(world: World, slug: str) -> None:
    """A run of the evaluation, with an answer in each scope that holds the scope's canary."""
    firm = world.firm(slug)
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
            documents=1,
            chunks=1,
            questions=len(SCOPES),
        )
        for position, scope in enumerate(SCOPES, start=1):
            EvaluationAnswer.objects.create(
                tenant_id=firm.id,
                scope_id=world.scope_id(slug, scope),
                run=run,
                position=position,
                key=str(position),
                text=f"What drawdown did {canary(slug, scope)} report?",
                document_ids=[world.document(slug, scope)],
                elapsed_ms=1.0,
            )


def _foreseen(firm: Firm) -> None:
    """The effect of a version, so that no tenant table is empty."""
    with open_scope(tenant=firm.id, reason="a test"):
        version = PolicyVersion.objects.get()
        PolicyImpact.objects.create(
            tenant_id=firm.id,
            version=version,
            base=version,
            revision=version.revision,
            content_sha256="0" * 64,
            base_sha256="0" * 64,
            requested_at=timezone.now(),
            requested_by="a test",
            state=ImpactState.FAILED,
            error_code="retrieval.impact_crashed",
            error_detail="It ended in the middle.",
        )


def _proven(*firms: Firm) -> None:
    """An invariant, a profile, a proof and an approval of each policy in force, so that no tenant table is empty.

    Written as a superuser: the baseline has none of them, and every test would have a second version to mind.
    """
    with superuser() as connection:
        for firm in firms:
            own = {"tenant": firm.id, "sha256": hashlib.sha256(b"{}").hexdigest()}
            connection.execute(
                "INSERT INTO intents_policyinvariant (tenant_id, version_id, position, name, mode, roles, intents, "
                "kinds) SELECT tenant_id, id, 1, 'Schedules', 'never', '{}', '{narrative}', '{schedule}' "
                "FROM intents_policyversion WHERE tenant_id = %(tenant)s",
                own,
            )
            connection.execute(
                "INSERT INTO intents_policyprofilerule (tenant_id, version_id, position, key, sort, name, terms, "
                "intents, text, in_question, in_answer) SELECT tenant_id, id, 1, 'lottery', 'topic', 'Lotteries', "
                "'{lottery ticket}', '{}', 'The firm runs none.', 'refuse', 'allow' "
                "FROM intents_policyversion WHERE tenant_id = %(tenant)s",
                own,
            )
            connection.execute(
                "INSERT INTO intents_policyproof (tenant_id, version_id, revision, text, sha256)"
                " SELECT tenant_id, id, revision, '{}', %(sha256)s FROM intents_policyversion"
                " WHERE tenant_id = %(tenant)s",
                own,
            )
            connection.execute(
                "INSERT INTO intents_policyapproval (tenant_id, version_id, revision, approver_id, approver_label, "
                "note) SELECT tenant_id, id, revision, uuidv7(), 'Rita', 'Fine.' FROM intents_policyversion"
                " WHERE tenant_id = %(tenant)s",
                own,
            )
            connection.execute(
                "INSERT INTO intents_absence (tenant_id, member_id, begins_at, ends_at, recorded_by_id) "
                "VALUES (%(tenant)s, uuidv7(), now(), now() + interval '7 days', uuidv7())",
                own,
            )
            connection.execute(
                "INSERT INTO intents_notice (tenant_id, version_id, receiver_id, event_id, happening)"
                " SELECT tenant_id, id, uuidv7(), uuidv7(), 'submitted' FROM intents_policyversion"
                " WHERE tenant_id = %(tenant)s",
                own,
            )


def _verified(firm: Firm) -> None:
    """A verification of the firm's log that somebody asked for, so that no tenant table is empty."""
    with open_scope(tenant=firm.id, reason="a test"):
        Verification.objects.create(tenant_id=firm.id, started_by=uuid4())


def _purged(firm: Firm, principal: Principal) -> None:
    """What the clock counted, and a dry run with a part, so that no tenant table is empty. As if they were the DPO."""
    with open_scope(tenant=firm.id, reason="a test"):
        schedule = RetentionSchedule.objects.get()
        now = timezone.now()
        RetentionCount.objects.create(
            tenant_id=firm.id, schedule=schedule, counted_on=now.date(), may_remove=1, must_remove=0
        )
    with open_scope(tenant=firm.id, principal=replace(principal, roles=frozenset({Role.DPO}))):
        purge = Purge.objects.create(
            tenant_id=firm.id,
            schedule=schedule,
            reach="may",
            reason="a test",
            counted_for=now.date(),
            created_by_id=principal.id,
            created_by_label=principal.label,
        )
        PurgeFigure.objects.create(
            tenant_id=firm.id,
            purge=purge,
            position=0,
            subject="document:run",
            clock_start="superseded_at",
            months=84,
            legal_basis="a test",
            count=1,
            oldest=now,
            newest=now,
            looked_at=1,
        )
        PurgePart.objects.create(
            tenant_id=firm.id,
            purge=purge,
            number=1,
            targets=0,
            last_position=0,
            is_last=True,
            proposed_by_id=principal.id,
            proposed_by_label=principal.label,
        )


def _asked_to_erase(firm: Firm) -> None:
    """A request for erasure with its letter, taken in by the firm's data protection officer."""
    officer = make_member(firm, f"dpo-{firm.tenant.slug}", Role.DPO, password=PASSWORD)
    with open_scope(tenant=firm.id, principal=officer):
        request = request_receive(
            subject_type=SubjectType.TENANT,
            requester=Requester.FIRM,
            details=Details(requester_name=f"Jo {canary(firm.tenant.slug, 'firm')}"),
        )
        letter_write(request.id, LetterKind.RECEIVED)
    _inventoried(firm, officer)
    _asked_for_access(firm, officer)


def _asked_for_access(firm: Firm, officer: Principal) -> None:
    """A request for access with its package, which quotes the canary of fund:alpha."""
    with open_scope(tenant=firm.id, principal=officer):
        request = request_receive(
            purpose=Purpose.ACCESS,
            subject_type=SubjectType.DATA_SUBJECT,
            requester=Requester.PERSON,
            details=Details(aliases=(canary(firm.tenant.slug, "fund:alpha"),)),
        )
        identity_confirm(request.id)
        made = inventory_request(request.id)
    assert inventory_run(tenant_id=firm.id, inventory_id=made.id) is InventoryState.DONE
    with open_scope(tenant=firm.id, principal=officer):
        hits = list(hits_of(request))
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.OPEN, reason=Reason.NAMED) for hit in hits])
        quotes_decide(request.id, [Chosen(hit_id=hit.id, seen="", quoting=Quoting.QUOTED) for hit in hits])
        package_make(request.id, told=told_by_rules(request.language))


def _inventoried(firm: Firm, officer: Principal) -> None:
    """An inventory in which the firm's canary was found, as a person's name; one place is confirmed, one treated."""
    with open_scope(tenant=firm.id, principal=officer):
        request = request_receive(
            subject_type=SubjectType.DATA_SUBJECT,
            requester=Requester.PERSON,
            details=Details(aliases=(canary(firm.tenant.slug, "fund:alpha"),)),
        )
        identity_confirm(request.id)
        made = inventory_request(request.id)
    assert inventory_run(tenant_id=firm.id, inventory_id=made.id) is InventoryState.DONE
    with open_scope(tenant=firm.id, principal=officer):
        hit = hits_of(request).filter(target_type="document")[0]
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.OPEN, reason=Reason.NAMED, words="It is them.")])
        assert hit.target_id is not None
        document_treat(request.id, hit.target_id, Treatment.REMOVE, seen=None)


def _commented(firm: Firm, principal: Principal) -> None:
    """A comment on the firm's policy, so that no tenant table is empty."""
    with open_scope(tenant=firm.id, principal=able(principal)):
        ReviewComment.objects.create(
            tenant_id=firm.id,
            version=PolicyVersion.objects.get(),
            author_id=principal.id,
            author_label=principal.label,
            text="As it should be.",
        )


def _recertified(firm: Firm, principal: Principal, owner: Principal) -> None:
    """A recertification of a grant of each scope, so that no scope is empty. As if they were an officer."""
    with open_scope(tenant=firm.id, reason="a test"):
        # Members hold the whole firm's scope, which the others are below.
        membership = Membership.objects.get(user_id=principal.id, tenant_id=firm.id)
        Grant.objects.create(tenant_id=firm.id, scope_id=firm.scopes["fund:beta"].id, membership=membership)
    with open_scope(tenant=firm.id, principal=replace(principal, roles=frozenset({Role.COMPLIANCE_OFFICER}))):
        grants = Grant.objects.filter(membership__isnull=False, valid_to__isnull=True)
        of_others = grants.exclude(membership__user_id=owner.id).order_by("id")
        of_scopes = {grant.scope_id: grant for grant in of_others}
        made = Recertification.objects.create(
            tenant_id=firm.id,
            owner_ids=[owner.id],
            grant_count=len(of_scopes),
            due_at=timezone.now() + timedelta(days=30),
            started_by_id=principal.id,
        )
        for scope_id, grant in of_scopes.items():
            CertifiedGrant.objects.create(
                tenant_id=firm.id, recertification=made, grant_id=grant.id, scope_id=scope_id, owner_id=owner.id
            )


def _held(firm: Firm, principal: Principal) -> None:
    """A hold on a part of an event, and a restriction of a document that is gone, so that no tenant table is empty."""
    with open_scope(tenant=firm.id, principal=principal):
        event = Event.objects.filter(action="tenants.tenant.created").get()
        assert principal.id is not None
        hold_place(
            matter="A dispute",
            ground="Commercial code",
            owner_id=principal.id,
            review_on=timezone.now().date() + timedelta(days=90),
            targets=[Target(type=TargetType.EVENT_GROUP, id=event.id, part="actor")],
        )
        Restriction.objects.create(
            tenant_id=firm.id,
            scope_id=firm.root.id,
            document_id=uuid4(),
            because=Because.REQUEST,
            because_id=uuid4(),
        )


def _stored(firm: Firm, slug: str, scope: str, kind: str) -> UUID:
    result = ingest(
        firm,
        content(slug, scope, kind),
        filename=f"{kind}-{canary(slug, scope)}.md",
        scope=scope_key(slug, scope),
        kind=kind,
    )
    run(firm, result.job)
    with open_scope(tenant=firm.id, reason="a test"):
        stored: Document = Document.objects.get(id=result.document.id)
        assert stored.status == "ready", stored.error_detail if hasattr(stored, "error_detail") else stored.status
        assert SourceFile.objects.filter(document=stored).exists()
    return stored.id
