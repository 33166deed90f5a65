"""Check a text: each sentence is a question, and what is read for it is what the policy lets such a question reach.

No transaction is open while a model works. What is decided is confirmed in the transaction that records it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.corpus.providers.warming import require_warm
from apps.erasure.runs.closing import require_open
from apps.intents.contracts import PolicySnapshot
from apps.intents.selectors import policy_in_force
from apps.research.claims.checked import Checked
from apps.research.claims.contracts import Claim, Finding, Reach, Verdict
from apps.research.claims.decide import decide
from apps.research.claims.facts_held import HeldFacts
from apps.research.claims.in_words import WordSearches
from apps.research.claims.plain_text import PlainSentence
from apps.research.claims.read import TextRead, read_claims, read_text
from apps.research.claims.reading import Known, quotes_of, read_known
from apps.research.claims.recording import check_record
from apps.research.claims.sights import Sight, SightReader
from apps.research.claims.subjects import Held
from apps.research.errors import ClaimCheckError
from apps.retrieval.contracts import SearchBounds
from apps.retrieval.retrievers.documents import are_within_reach, may_be_read
from apps.retrieval.services.asking import OnRecorded, scopes_open_still
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.stage_choice import stages_in_use
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.short_scopes import ShortScopes, current_short_scopes

MAXIMUM_CHARS: Final = 50_000
MAXIMUM_SENTENCES: Final = 600
MAXIMUM_SENTENCE_CHARS: Final = 2_000
_TRIES: Final = 3


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
        profile = str(current_tenant().embedding_profile)
    require_warm(profile)
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
        self.sent, self.read, self.scopes = sent, read, scopes
        self.company = company
        self.sights = SightReader(scopes, as_of)
        self.searches = WordSearches(scopes, keys, as_of)
        self.on_recorded: OnRecorded | None = None

    def carry_out(self) -> Checked | None:
        """Return the checked text; None if the policy or a document changed meanwhile."""
        with self.scopes.open():
            policy = policy_in_force()
            deps = dependencies_for(current_tenant(), policy, stages_in_use(), scopes=self.scopes)
            self.searches.forget_gone()
        sights = self.sights.read(self.read.sentences, policy.version_id, deps)
        with self.scopes.open():
            known = self._known(sights.values())
            findings, left = self._decide(sights, known)
            rows = quotes_of([operand for each in findings for operand in each.operands])
        findings = [*(_quoted(each, rows) for each in findings), *self._in_words(left, sights, policy)]
        findings.sort(key=lambda each: (each.claim.start, each.claim.number_start, each.claim.sort.value))
        return self._record(findings, sights, known, policy)

    def _known(self, sights: Collection[Sight]) -> dict[SearchBounds, Known]:
        text = self.read.plain.text
        wanted = dict.fromkeys(each.bounds for each in sights if each.refusal is None)
        return {bounds: read_known(text, bounds, company=self.company) for bounds in wanted}

    def _decide(self, sights: dict[int, Sight], known: dict[SearchBounds, Known]) -> tuple[list[Finding], list[Claim]]:
        """Return what facts decide, and the claims that they do not: those in words alone."""
        facts = {bounds: HeldFacts(each.facts) for bounds, each in known.items()}
        nothing = Known(held=Held())

        def held_of(sentence: PlainSentence) -> Held:
            sight = sights.get(sentence.start)
            return known.get(sight.bounds, nothing).held if sight else nothing.held

        found: list[Finding] = []
        left: list[Claim] = []
        for claim in read_claims(self.read, held_of, company=self.company):
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

    def _in_words(self, claims: Sequence[Claim], sights: dict[int, Sight], policy: PolicySnapshot) -> Iterator[Finding]:
        """Yield what passages say of claims in words."""
        for claim in claims:
            sight = sights[self.read.sentences[claim.sentence].start]
            yield replace(self.searches.judge(claim, sight, policy.version_id), intent=sight.grant.intent)

    def _record(
        self,
        findings: Sequence[Finding],
        sights: dict[int, Sight],
        known: dict[SearchBounds, Known],
        policy: PolicySnapshot,
    ) -> Checked | None:
        reaches = {each.grant.intent: each for each in sights.values()}
        with self.scopes.renewed().open():
            current_scope().principal.require(Permission.QUESTION_ASK)
            require_open(tuple(self.scopes.scope_ids))
            used = {operand.document_id for each in findings for operand in each.operands}
            used |= {fact.document_id for each in known.values() for fact in each.facts}
            used |= {passage.document_id for each in findings for passage in each.passages}
            held = all(
                are_within_reach({fact.document_id for fact in each.facts}, bounds) for bounds, each in known.items()
            )
            if policy_in_force().version_id != policy.version_id or not held or not may_be_read(used):
                return None
            listed = tuple(
                Reach(
                    intent=intent,
                    label=each.decision.label,
                    permitted=tuple(each.grant.permitted),
                    withheld=tuple(each.grant.withheld),
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
                searches=self.searches.made,
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


def _quoted(finding: Finding, rows: dict[tuple[UUID, int, int], str]) -> Finding:
    operands = tuple(
        replace(each, quote=rows.get((each.document_id, each.page, each.row_start), "")) for each in finding.operands
    )
    return replace(finding, operands=operands)
