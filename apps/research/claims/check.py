"""Check a text: each sentence is a question, and what is read for it is what the policy lets such a question reach.

No transaction is open while a model works. What is decided is confirmed in the transaction that records it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.corpus.providers.warming import require_warm
from apps.erasure.runs.closing import require_open
from apps.intents.contracts import FALLBACK_NAME, KindGrant, PolicySnapshot
from apps.intents.selectors import policy_in_force
from apps.research.claims.checked import Checked
from apps.research.claims.contracts import Claim, Finding, Reach, Verdict
from apps.research.claims.decide import decide
from apps.research.claims.facts_held import HeldFacts
from apps.research.claims.plain_text import PlainSentence
from apps.research.claims.quoted import judge_by_passages
from apps.research.claims.read import TextRead, read_claims, read_text
from apps.research.claims.reading import Known, quotes_of, read_known, spelled_as_held
from apps.research.claims.recording import check_record
from apps.research.claims.subjects import Held
from apps.research.errors import ClaimCheckError
from apps.retrieval.contracts import DocumentFilter, GivenFilters, Question, Refusal, SearchBounds
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.retrievers.documents import may_be_read
from apps.retrieval.services.ask import OnRecorded, scopes_open_still, search
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.stage_choice import stages_in_use
from apps.retrieval.steps.bounds import within_jurisdictions
from apps.retrieval.steps.profile import check_question
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.short_scopes import ShortScopes, current_short_scopes

MAXIMUM_CHARS: Final = 50_000
MAXIMUM_SENTENCES: Final = 600
MAXIMUM_SENTENCE_CHARS: Final = 2_000
MAXIMUM_SEARCHES: Final = 20
NOT_LOOKED_UP: Final = f"It is not looked up: of one text {MAXIMUM_SEARCHES} claims in words are."
_TRIES: Final = 3
_FEWEST_WORDS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sight:
    """What one sentence may be held against."""

    grant: KindGrant
    label: str
    refusal: Refusal | None
    bounds: SearchBounds


def check_text(
    *,
    text: str,
    scopes: Sequence[str] = (),
    company: str = "",
    as_of: datetime | None = None,
    principal: Principal | None = None,
    reason: str = "",
    on_recorded: OnRecorded | None = None,
) -> Checked:
    """Find the claims of a text, decide each, and record that the text was checked. Call it outside of any scope.

    Args:    scopes: keys of the scopes to read, as `ask` takes them. company: of which the text is where it names none.
             as_of: read the document versions that were current then (aware); None for now.
             on_recorded: called with the event in the transaction that records it.
    Raises:  ClaimCheckError, WarmingUpError, PermissionDeniedError, ScopeNotGrantedError, ScopeClosedError.
    """
    if not text.strip():
        raise ClaimCheckError("research.claims_empty")
    if len(text) > MAXIMUM_CHARS:
        raise ClaimCheckError("research.claims_too_long", length_chars=len(text), maximum_chars=MAXIMUM_CHARS)
    read = read_text(text)
    if len(read.sentences) > MAXIMUM_SENTENCES:
        raise ClaimCheckError(
            "research.claims_too_many_sentences", sentences=len(read.sentences), maximum=MAXIMUM_SENTENCES
        )
    longest = max((len(each.text) for each in read.sentences), default=0)
    if longest > MAXIMUM_SENTENCE_CHARS:
        raise ClaimCheckError(
            "research.claims_long_sentence", length_chars=longest, maximum_chars=MAXIMUM_SENTENCE_CHARS
        )
    if principal is None:
        acting = current_short_scopes()
    else:
        acting = ShortScopes(principal=principal, scope_ids=principal.scope_ids, reason=reason)
    acting.principal.require(Permission.QUESTION_ASK)
    with acting.open():
        wanted = scopes_open_still(scopes)
        require_warm(str(current_tenant().embedding_profile))
    narrowed = ShortScopes(principal=acting.principal, scope_ids=wanted, reason=acting.reason)
    checking = _Checking(sent=text, read=read, scopes=narrowed, keys=tuple(scopes), company=company, as_of=as_of)
    checking.on_recorded = on_recorded
    for _ in range(_TRIES):
        if (checked := checking.carry_out()) is not None:
            return checked
    raise ClaimCheckError("research.claims_outdated")


class _Checking:
    def __init__(
        self,
        *,
        sent: str,
        read: TextRead,
        scopes: ShortScopes,
        keys: tuple[str, ...],
        company: str,
        as_of: datetime | None,
    ) -> None:
        self.sent, self.read, self.scopes, self.keys = sent, read, scopes, keys
        self.company, self.as_of = company, as_of
        self.on_recorded: OnRecorded | None = None

    def carry_out(self) -> Checked | None:
        """Return the checked text; None if the policy or a document changed meanwhile."""
        with self.scopes.open():
            policy = policy_in_force()
            deps = dependencies_for(current_tenant(), policy, stages_in_use(), scopes=self.scopes)
        sights = self._sights(deps)
        with self.scopes.open():
            known = self._known(sights.values())
            findings, left = self._decide(sights, known)
            rows = quotes_of([operand for each in findings for operand in each.operands])
        findings = [*(_quoted(each, rows) for each in findings), *self._in_words(left, sights)]
        findings.sort(key=lambda each: (each.claim.start, each.claim.number_start, each.claim.sort.value))
        return self._record(findings, sights, known, policy, searches=min(len(left), MAXIMUM_SEARCHES))

    def _sights(self, deps: PipelineDependencies) -> dict[int, _Sight]:
        """Return what each sentence may be held against, by where it begins."""
        sights: dict[int, _Sight] = {}
        before = ""
        for sentence in self.read.sentences:
            if _may_claim(sentence):
                sight = sights[sentence.start] = self._sight(sentence, before, deps)
                before = sentence.text if sight.grant.intent else before
        return sights

    def _sight(self, sentence: PlainSentence, before: str, deps: PipelineDependencies) -> _Sight:
        """Return what a sentence may be held against: its own intent, classified and gated as a question is.

        Args: before: the last sentence whose intent was recognised. One that says too little alone is read with it.
        """
        question = Question(
            text=sentence.text,
            tenant_id=self.scopes.tenant_id,
            scope_ids=tuple(sorted(self.scopes.scope_ids)),
            as_of=self.as_of,
        )
        decision = deps.intents.classify(sentence.text)
        if before and not decision.recognised:
            decision = deps.intents.classify(f"{before} {sentence.text}")
        grant = deps.intents.grant(decision)
        refusal = check_question(TraceRecorder(deps.clock), question, sentence.text, grant, deps)
        intent = grant.intent or FALLBACK_NAME
        bounds = SearchBounds(
            tenant_id=question.tenant_id,
            scope_ids=question.scope_ids,
            kinds=grant.permitted,
            as_of=self.as_of,
            filter=within_jurisdictions(DocumentFilter(), deps.profile, intent),
        )
        return _Sight(grant=grant, label=decision.label, refusal=refusal, bounds=bounds)

    def _known(self, sights: Collection[_Sight]) -> dict[SearchBounds, Known]:
        text = self.read.plain.text
        wanted = dict.fromkeys(each.bounds for each in sights if each.refusal is None)
        return {bounds: read_known(text, bounds, company=self.company) for bounds in wanted}

    def _decide(self, sights: dict[int, _Sight], known: dict[SearchBounds, Known]) -> tuple[list[Finding], list[Claim]]:
        """Return what facts decide, and the claims that they do not: those in words alone."""
        facts = {bounds: HeldFacts(each.facts) for bounds, each in known.items()}
        nothing = Known(held=Held())
        entries = [entry for each in known.values() for entry in each.held.entries]

        def held_of(sentence: PlainSentence) -> Held:
            sight = sights.get(sentence.start)
            return known.get(sight.bounds, nothing).held if sight else nothing.held

        found: list[Finding] = []
        left: list[Claim] = []
        company = spelled_as_held(self.company, entries) if self.company else ""
        for claim in read_claims(self.read, held_of, company=company):
            sight = sights.get(self.read.sentences[claim.sentence].start)
            if sight is None:
                continue
            if sight.refusal is not None:
                decided: Finding | None = Finding(
                    claim=claim, verdict=Verdict.NOT_CHECKABLE, reason=sight.refusal.message
                )
            else:
                decided = decide(claim, facts[sight.bounds])
            if decided is None:
                left.append(claim)
            else:
                found.append(replace(decided, intent=sight.grant.intent))
        return found, left

    def _in_words(self, claims: Sequence[Claim], sights: dict[int, _Sight]) -> list[Finding]:
        """Return what passages say of claims in words. Each is a search of its own, with its own event."""
        found = []
        for number, claim in enumerate(claims):
            intent = sights[self.read.sentences[claim.sentence].start].grant.intent
            if number >= MAXIMUM_SEARCHES:
                finding = Finding(claim=claim, verdict=Verdict.NOT_CHECKABLE, reason=NOT_LOOKED_UP)
            else:
                searched = search(
                    text=claim.text,
                    scopes=self.keys,
                    given=GivenFilters(),
                    as_of=self.as_of,
                    principal=self.scopes.principal,
                    reason=self.scopes.reason,
                )
                finding = judge_by_passages(claim, searched.result.found.candidates)
            found.append(replace(finding, intent=intent))
        return found

    def _record(
        self,
        findings: Sequence[Finding],
        sights: dict[int, _Sight],
        known: dict[SearchBounds, Known],
        policy: PolicySnapshot,
        *,
        searches: int,
    ) -> Checked | None:
        reaches = {each.grant.intent: each for each in sights.values()}
        with self.scopes.renewed().open():
            current_scope().principal.require(Permission.QUESTION_ASK)
            require_open(tuple(self.scopes.scope_ids))
            used = {operand.document_id for each in findings for operand in each.operands}
            used |= {passage.document_id for each in findings for passage in each.passages}
            if policy_in_force().version_id != policy.version_id or not may_be_read(used):
                return None
            listed = tuple(
                Reach(
                    intent=intent,
                    label=each.label,
                    permitted=tuple(map(str, each.grant.permitted)),
                    withheld=tuple(map(str, each.grant.withheld)),
                )
                for intent, each in sorted(reaches.items())
            )
            event = check_record(
                self.sent,
                findings,
                listed,
                policy,
                sentences=len(self.read.sentences),
                facts_read=sum(len(each.facts) for each in known.values()),
                searches=searches,
            )
            if self.on_recorded is not None:
                self.on_recorded(event)
        return Checked(
            text=self.sent,
            findings=tuple(findings),
            reaches=listed,
            policy_version=policy.number,
            event=event,
        )


def _may_claim(sentence: PlainSentence) -> bool:
    return any(map(str.isdigit, sentence.text)) or len(sentence.text.split()) >= _FEWEST_WORDS


def _quoted(finding: Finding, rows: dict[tuple[UUID, int, int], str]) -> Finding:
    operands = tuple(
        replace(each, quote=rows.get((each.document_id, each.page, each.row_start), "")) for each in finding.operands
    )
    return replace(finding, operands=operands)
