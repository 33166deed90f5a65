"""Try a text on a draft's compliance profile as it is typed: which rules fire, by what, and which decides.

Tried is with all that a real question or answer brings: its words and its language, the intent by which a rule holds or
not, the client category and companies that stand beside it, and the model that would write. Nothing is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from apps.intents.admin.draft.fields import DraftFields
from apps.intents.admin.draft.links import crumbs, draft_crumb, find_version, version_admin
from apps.intents.admin.draft.parse import parse_draft
from apps.intents.admin.draft.post import fields_from
from apps.intents.contracts import FALLBACK_NAME, PolicySnapshot
from apps.intents.profile.contracts import BOUNDS, Fired, InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.profile.matching import find_rules
from apps.intents.profile.means import lets_write, modes_in_words
from apps.intents.profile.values import VALUES, terms_not_permitted
from apps.intents.profile_words import IN_ANSWER, IN_QUESTION, SORTS, name_rule
from apps.intents.registry import fired_by_jurisdiction
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import own_draft
from apps.tenants.admin.base import require
from apps.tenants.admin.pages import page
from apps.tenants.roles import Permission

MOST_CHARS: Final = 20_000
_LONGEST_FIELD: Final = 300
_OF_WRITING: Final = frozenset({RuleSort.MODELS, RuleSort.REGIONS})
_TRIED_BY: Final = {RuleSort.MODELS: "model", RuleSort.REGIONS: "region", RuleSort.RESEARCH_MODES: "mode"}
"""The field of a trial by which a bound of the means is tried; empty: it is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FiredShown:
    """A rule that fired, in words."""

    name: str
    sort: str
    words: tuple[str, ...]
    effects: tuple[str, ...]
    reason: str


@require_POST
def draft_try_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """Try what was typed, on the profile as typed. A page of its own without the script, a part with it."""
    require(request, Permission.POLICY_EDIT)
    version = own_draft(find_version(version_id).id)
    stored = version_snapshot(version)
    fields = fields_from(request.POST, stored.kinds)
    said = _Said.read(request)
    parsed = parse_draft(fields, stored)
    rules: tuple[ProfileRule, ...] = parsed.content.profile if parsed.content else ()
    problem = _problem(said.text, fields, readable=parsed.content is not None)
    tried = [rule for rule in rules if not said.intent or rule.holds_for(said.intent)]
    fired = [] if problem else _fired(said, tried)
    asked_by_script = request.headers.get("X-Requested-With") == "fetch"
    return page(
        version_admin(),
        request,
        "glassbox/draft_tried.html" if asked_by_script else "glassbox/draft_tried_page.html",
        title="Text tried on the profile",
        crumbs=crumbs(draft_crumb(version), "Text tried on the profile"),
        version=version,
        text=said.text,
        problem=problem,
        fired=[_shown(each) for each in fired],
        question=_deciding(fired, InQuestion.REFUSE),
        answer=_deciding(fired, InAnswer.BLOCK),
        writing=next((name_rule(each.rule) for each in fired if each.rule.sort in _OF_WRITING), ""),
        looked=sum(_looks(rule, said) for rule in tried),
        disclaimers=[rule for rule in tried if rule.sort is RuleSort.DISCLAIMER],
    )


def try_choices(snapshot: PolicySnapshot) -> dict[str, list[tuple[str, str]]]:
    """Return what the form of a trial offers: the intents of the draft as it is stored, and the client categories."""
    named = [(rule.name, rule.label) for rule in snapshot.intents]
    return {
        "try_intents": [*named, (FALLBACK_NAME, snapshot.fallback.label)],
        "try_modes": [(key, value.label) for key, value in VALUES[RuleSort.RESEARCH_MODES].items()],
        "try_clients": [(key, value.label) for key, value in VALUES[RuleSort.CLIENTS].items()],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What is tried. client: a client category by its key. Empty fields are left out of the trial."""

    text: str
    intent: str
    language: str
    client: str
    companies: str
    model: str
    region: str
    mode: str

    @classmethod
    def read(cls, request: HttpRequest) -> _Said:
        return cls(**{each.name: _last(request, f"try-{each.name}") for each in dataclass_fields(cls)})

    def by(self, sort: RuleSort) -> str:
        return str(getattr(self, _TRIED_BY[sort]))

    @property
    def whole(self) -> str:
        """Return the text with what stands beside it, each as it is named in texts."""
        client = VALUES[RuleSort.CLIENTS].get(self.client)
        return "\n".join(filter(None, (self.text, self.companies, client.label if client else "")))


def _last(request: HttpRequest, name: str) -> str:
    value = "".join(request.POST.getlist(name)[-1:])
    return value if name == "try-text" else value.strip()[:_LONGEST_FIELD]


def _fired(said: _Said, rules: Sequence[ProfileRule]) -> list[Fired]:
    """Return what fires, in the order in which a question meets it."""
    by_means = (
        Fired(rule=rule, words=(said.by(rule.sort),))
        for rule in rules
        if rule.sort in _TRIED_BY and said.by(rule.sort) and not _lets(rule, said)
    )
    return [
        *find_rules(said.whole, rules),
        *fired_by_jurisdiction(said.text, said.language, rules),
        *by_means,
    ]


def _lets(rule: ProfileRule, said: _Said) -> bool:
    if rule.sort is RuleSort.RESEARCH_MODES:
        return said.mode in rule.terms
    return lets_write(rule, model=said.model, region=said.region)


def _looks(rule: ProfileRule, said: _Said) -> bool:
    """Return whether the rule can fire on what is tried."""
    if rule.sort in _TRIED_BY:
        return bool(said.by(rule.sort))
    return rule.sort is RuleSort.JURISDICTIONS or bool(terms_not_permitted(rule))


def _deciding(fired: Sequence[Fired], effect: InQuestion | InAnswer) -> str:
    """Return the rule by which a question is refused, or an answer withheld: the first that does so."""
    return next((name_rule(each.rule) for each in fired if effect in _effects(each.rule)), "")


def _effects(rule: ProfileRule) -> tuple[InQuestion, InAnswer]:
    """Return what becomes of a question or an answer on which a rule fires; a mode that is not permitted is refused."""
    of_mode = rule.sort is RuleSort.RESEARCH_MODES
    return InQuestion.REFUSE if of_mode else rule.in_question, rule.in_answer


def _problem(text: str, fields: DraftFields, *, readable: bool) -> str:
    if not text.strip():
        return "Enter a question or a text to try."
    if len(text) > MOST_CHARS:
        return f"The text has {len(text):,} characters; at most {MOST_CHARS:,} are tried at once. Shorten it."
    if not readable:
        return "The draft can't be read as it is: save it to see what has to be corrected first."
    return ""


def _shown(fired: Fired) -> FiredShown:
    rule = fired.rule
    if rule.sort in _OF_WRITING:
        effects: tuple[str, ...] = ("The model does not write: the documents are quoted",)
        return FiredShown(name=rule.name, sort=SORTS[rule.sort], words=fired.words, effects=effects, reason=rule.text)
    if rule.sort is RuleSort.RESEARCH_MODES:
        effects = (f"A question in another mode than {modes_in_words(rule.terms)} is refused",)
        return FiredShown(name=rule.name, sort=SORTS[rule.sort], words=fired.words, effects=effects, reason=rule.text)
    return FiredShown(
        name=rule.name,
        sort=SORTS[rule.sort],
        words=fired.words,
        effects=tuple(
            each.replace(" it", " anything else", 1) if rule.sort in BOUNDS else each
            for each in (IN_QUESTION[rule.in_question], IN_ANSWER[rule.in_answer])
        ),
        reason=rule.text,
    )
