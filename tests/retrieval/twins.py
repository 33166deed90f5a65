"""Two firms that hold the same, but for one subject: Acme held documents of it and erased them, Bolt never had any.

Ids, short names of documents and the tenants' own names are different in the two; `told` puts the same names in their
place, in one that says which document and which passage of it. What breaks ties are ids: they are made in the same
order in both firms, which World checks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from apps.audit.ids import new_id
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Chunk, Document, Page, SourceFile
from apps.corpus.redaction.text import Span
from apps.corpus.services.redact import document_redact
from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.models import RemovalRun
from apps.erasure.runs.lease import EnginePolicy
from apps.erasure.runs.runs import run_propose
from apps.intents.fund_house import FUND_HOUSE, FundHouse
from apps.intents.models import PolicyVersion
from apps.retrieval.contracts import CorpusInventory, Question, SearchBounds
from apps.retrieval.pipeline import answer
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.retrieval.serialise import to_json
from apps.retrieval.services.wiring import dependencies_for
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from apps.tenants.selectors.tenants import current_tenant
from tests.audit.acting import sealed
from tests.audit.removing import REASON, carried_out, person
from tests.corpus.ingesting import ingest, run
from tests.deciding import run_approve
from tests.factories import Firm, as_, make_firm

# Words of the subject, which stand nowhere else: in texts, titles, companies, names of files and ids of sources.
CANARIES: Final = ("zaunkoenig", "kestrelgasse", "quokka", "kstr0042", "wiedehopf")
_TOPICS: Final = (
    ("drawdown", "The maximum drawdown of the {fund} in {period} was {n}.5 %. It recovered within {n} weeks."),
    ("fees", "Management fees of the {fund} are charged quarterly and amount to 0.{n} % of the net asset value."),
    ("risk", "Under the {fund} no issuer may exceed {n} % of the net asset value; a breach is reported to the board."),
    ("method", "Returns of the {fund} are calculated time-weighted in {period}, with prices of the last trading day."),
    ("clients", "A complaint about the {fund} is answered within {n} days; retail clients are told of the risk."),
)
_SCOPES: Final = ("fund:alpha", "fund:beta", "firm")
_KINDS: Final = (
    FundHouse.RUN,
    FundHouse.REFERENCE_REPORT,
    FundHouse.COMPLIANCE_PROFILE,
    FundHouse.METHODOLOGY,
    FundHouse.FUND_PROFILE,
)
_FUNDS: Final = ("Alpha Fund", "Beta Fund", "Gamma Fund")
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# How long something took; a digest over texts in which short names stand; and how many versions there were of what was
# redacted or replaced, which a new version goes on telling.
_LEFT_OUT: Final = frozenset({"elapsed_ms", "sha256", "version", "document_version"})
_FILLER: Final = "The committee discussed liquidity, counterparties and the hedging of currencies at length. " * 9
POLICY: Final = EnginePolicy(batch=200, wait_seconds=0.0, retry_seconds=0.0)


def text_of(number: int, *, words: str = "") -> bytes:
    """A report of some sections; which, and with what figures, its number says."""
    fund, period = _FUNDS[number % 3], f"Q{number % 4 + 1} {2021 + number % 4}"
    figures = [(number * 7 + place) % 19 + 1 for place in range(len(_TOPICS))]
    sections = [
        f"## {topic.title()}\n\n{text.format(fund=fund, period=period, n=figures[place])} {words} {_FILLER}"
        for place, (topic, text) in enumerate(_TOPICS)
        if (number + place) % 5
    ]
    return "\n\n".join([f"# {fund}, report {number}", *sections, ""]).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """documents: by firm's slug and name. instants: between the ingests, at which both firms held the same."""

    acme: Firm
    bolt: Firm
    documents: dict[str, dict[str, UUID]] = field(default_factory=lambda: {"acme": {}, "bolt": {}})
    instants: list[datetime] = field(default_factory=list)
    subject: list[UUID] = field(default_factory=list)
    passages: list[UUID] = field(default_factory=list)

    @property
    def firms(self) -> tuple[Firm, Firm]:
        return self.acme, self.bolt

    def told(self, firm: Firm, value: Any) -> str:
        """What a firm's answer says, as text in which both firms' names of things are the same."""
        text = json.dumps(_without(value), sort_keys=True, ensure_ascii=False)
        names = self._names(firm)
        found = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
        return found.sub(lambda match: names[match.group()], text)

    def _names(self, firm: Firm) -> dict[str, str]:
        names = {str(firm.id): "<tenant>", firm.root.key: "<root>"}
        names |= {str(scope.id): f"<scope {key.replace(firm.tenant.slug, '')}>" for key, scope in firm.scopes.items()}
        with open_scope(tenant=firm.id, reason="a test"):
            names |= {str(id): f"<policy {number}>" for id, number in PolicyVersion.objects.values_list("id", "number")}
            for name, document_id in self.documents[firm.tenant.slug].items():
                document = Document.objects.filter(id=document_id).first()
                if document is not None:
                    names |= {str(document_id): f"<{name}>", document.slug: f"<slug {name}>"}
                    names |= {
                        str(id): f"<{name} {'parent' if is_parent else 'passage'} {number}>"
                        for id, number, is_parent in Chunk.objects.filter(document=document).values_list(
                            "id", "number", "is_parent"
                        )
                    }
        return names

    def in_order(self, firm: Firm) -> list[str]:
        """What is left of the firm's documents and passages, by their ids."""
        names = {id: name for id, name in self._names(firm).items() if _UUID.fullmatch(id)}
        return [names[id] for id in sorted(names) if "passage" in names[id]]


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(each) for key, each in value.items() if key not in _LEFT_OUT}
    return [_without(each) for each in value] if isinstance(value, list) else value


def answered(firm: Firm, text: str, *, as_of: datetime | None = None) -> Any:
    """The whole of it: every ranking and score, what was left out and why, the context, the answer or the refusal."""
    with open_scope(tenant=firm.id, reason="a test") as scope:
        question = Question(text=text, tenant_id=firm.id, scope_ids=tuple(sorted(scope.scope_ids)), as_of=as_of)
        result = answer(question, deps=dependencies_for(current_tenant()))
        return {"answer": to_json(result.answer), "trace": to_json(result.trace)}


def inventory(firm: Firm, *, as_of: datetime | None = None) -> CorpusInventory:
    """What is counted by company, type and period."""
    with open_scope(tenant=firm.id, reason="a test") as scope:
        bounds = SearchBounds(tenant_id=firm.id, scope_ids=tuple(scope.scope_ids), kinds=tuple(FUND_HOUSE), as_of=as_of)
        return CorpusInventoryReader().read(bounds)


def make_world(*, commons: int = 8) -> World:
    """Both firms, with the subject's documents in Acme still there. Commits."""
    world = World(acme=make_firm("acme"), bolt=make_firm("bolt"))
    for number in range(commons):
        for firm in world.firms:
            added(world, firm, f"common {number}", text_of(number), number=number)
        if number % 3 == 0:
            _of_subject(world, f"subject {number}", number)
        world.instants.append(timezone.now())
    # An old version is the subject's, and the new one is everybody's.
    old = _of_subject(world, "old version", 2, series="series")
    for firm in world.firms:
        replaced = {"replaces": old} if firm is world.acme else {}
        added(world, firm, "new version", text_of(90), number=2, title="series", **replaced)
    _redacted(world)
    return world


def added(world: World, firm: Firm, name: str, content: bytes, *, number: int, **more: Any) -> UUID:
    scope = _SCOPES[number % 3]
    scoped = firm.root.key if scope == "firm" else scope
    chosen: dict[str, Any] = {
        "filename": f"{name.replace(' ', '-')}.md",
        "scope": scoped,
        "kind": _KINDS[number % 5],
        "title": name,
        "company": ("", "Alder AG", "Birch SE")[number % 3],
        "fiscal_year": 2021 + number % 4,
        "fiscal_quarter": number % 4 + 1,
        **more,
    }
    made = ingest(firm, content, **chosen)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    id = UUID(str(made.document.id))
    world.documents[firm.tenant.slug][name] = id
    return id


def _of_subject(world: World, name: str, number: int, *, series: str = "") -> UUID:
    words = "Zaunkoenig of Kestrelgasse asked about the drawdown and the drawdown and the fees again."
    id = added(
        world,
        world.acme,
        name,
        text_of(number + 40, words=words),
        number=number,
        title=series or f"Dossier Wiedehopf {number}",
        company="Quokka Holding",
        external_id=f"kstr0042-{name}",
        filename=f"wiedehopf-{number}.md",
        fiscal_year=2019,
    )
    del world.documents["acme"][name]
    _is_subjects(world, id)
    return id


def _redacted(world: World) -> None:
    """A letter names the subject in the middle; Bolt gets from the start what is left of Acme's once it is redacted."""
    letter = text_of(33, words="A certain Zaunkoenig agreed.")
    original = added(world, world.acme, "letter", letter, number=4, title="Letter", filename="letter.md")
    with open_scope(tenant=world.acme.id, reason="a test"):
        pages = list(Page.objects.filter(document_id=original))
    spans = {
        page.number: [Span(start=found.start(), end=found.end()) for found in re.finditer("Zaunkoenig", page.text)]
        for page in pages
    }
    with as_(person(world.acme, "dora-acme", Role.DPO)):
        made = document_redact(document_id=original, spans=spans)
    assert run(world.acme, made.job) is RunOutcome.SUCCEEDED
    world.documents["acme"]["letter"] = UUID(str(made.document.id))
    _is_subjects(world, original)
    with open_scope(tenant=world.acme.id, reason="a test"):
        content = bytes(SourceFile.objects.get(document_id=made.document.id).content)
    added(world, world.bolt, "letter", content, number=4, title="Letter", filename=made.document.filename)
    world.instants.append(timezone.now())


def _is_subjects(world: World, document_id: UUID) -> None:
    world.subject.append(document_id)
    with open_scope(tenant=world.acme.id, reason="a test"):
        world.passages.extend(Chunk.objects.filter(document_id=document_id).values_list("id", flat=True))


def targets(world: World) -> list[Target]:
    return [Target(type=TargetType.DOCUMENT, id=id) for id in world.subject]


def approved(firm: Firm, wanted: list[Target]) -> RemovalRun:
    """Proposed by a DPO and approved by a reviewer, for a request."""
    with as_(person(firm, f"dora-{firm.tenant.slug}", Role.DPO)):
        proposed = run_propose(Origin.REQUEST, new_id(), wanted, REASON)
    with as_(person(firm, f"rita-{firm.tenant.slug}", Role.REVIEWER)):
        return run_approve(proposed.id)


def finished(firm: Firm, removal: RemovalRun) -> None:
    """Carried out as glassbox_eraser, with the sealer at work meanwhile."""
    for _ in range(6):
        sealed(firm)
        if carried_out(firm, removal, POLICY) is RunState.COMPLETED:
            sealed(firm)
            return
    raise AssertionError("it did not come to its end")


def erased(firm: Firm, wanted: list[Target]) -> RemovalRun:
    sealed(firm)
    removal = approved(firm, wanted)
    finished(firm, removal)
    return removal


@contextmanager
def only(firm: Firm, *scopes: str) -> Iterator[tuple[ScopeId, ...]]:
    ids = firm.scope_ids(*scopes)
    with open_scope(tenant=firm.id, scopes=ids, reason="a test"):
        yield tuple(ids)


QUESTIONS_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "ask": (
        "What was the maximum drawdown of the {fund} in {period}?",
        "How high are the management fees of the {fund}?",
        "May the {fund} exceed {n} % in one issuer?",
        "How are returns calculated in {period}?",
        "What is {company} required to tell retail clients?",
        "Is a breach of the limit reported, and to whom?",
        "Why did {company} complain about the fees?",
        "drawdown fees complaint {company} {period}",
        "What does Dossier Wiedehopf say about the {fund}?",
        "Wie hoch war der maximale Drawdown im Quartal?",
    )
}


def questions() -> list[str]:
    """The same ones every time: of every intent, with and without names, periods, and words of the subject."""
    companies = ("Alder AG", "Birch SE", "Quokka Holding", "Zaunkoenig", "Nobody Ltd")
    found = []
    for place, form in enumerate(QUESTIONS_BY["ask"]):
        for turn in range(6):
            number = place + turn
            period = f"Q{number % 4 + 1} {2019 + number % 6}"
            found.append(form.format(fund=_FUNDS[number % 3], period=period, n=number, company=companies[number % 5]))
    return list(dict.fromkeys(found))
