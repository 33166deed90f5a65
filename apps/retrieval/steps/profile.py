"""Hold a question and its answer against the compliance profile of the policy. Deterministic: no model takes part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from apps.corpus.extraction.language import language_of_question
from apps.intents.contracts import FALLBACK_NAME, KindGrant
from apps.intents.profile.contracts import BOUNDS, Fired, InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.profile.matching import find_rules
from apps.intents.profile.means import modes_in_words, permitted_modes, rules_against, rules_of_modes
from apps.intents.profile.problems import disclaimers_of
from apps.intents.profile_words import name_rule
from apps.retrieval.contracts import (
    Answer,
    Candidate,
    Disclaimer,
    GeneratedAnswer,
    GroundingReport,
    ProfileCheck,
    ProfileEffect,
    ProfileFinding,
    QueryAnalysis,
    Question,
    Refusal,
    RefusalReason,
)
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.steps.bounds import fired_by_jurisdiction, not_written_by
from apps.retrieval.trace import Stage, StageStatus, Trace

_REFUSED: Final = "Not answered, and nothing was searched: the firm's compliance profile refuses the {rule}. {reason}"
_BLOCKED: Final = (
    "An answer was written and is withheld: it names what the firm's compliance profile excludes by the {rule}. "
    "{reason}"
)
_FLAGGED: Final = "This answer names what the firm's compliance profile excludes by the {rule}: {words}. {reason}"
_OUTSIDE_QUESTION: Final = (
    "Not answered, and nothing was searched: it names what lies outside the firm's {rule}. {reason}"
)
_OTHER_MODE: Final = (
    "Not answered, and nothing was searched: by the firm's {rule}, questions of this intent are answered in "
    "these modes of research alone: {modes}. This one was asked in the mode {mode}. {reason}"
)
_NOTHING_TO_LOOK_FOR: Final = "The policy's profile has no rule for this."


def check_question(
    recorder: TraceRecorder, question: Question, text: str, grant: KindGrant, deps: PipelineDependencies
) -> Refusal | None:
    """Return the refusal of a question that the profile refuses: for what it or its filters name, or for its mode.

    Whatever is asked outside of research is asked in the mode `direct`.
    """
    intent = grant.intent or FALLBACK_NAME
    rules = [rule for rule in deps.profile if rule.in_question is InQuestion.REFUSE and rule.holds_for(intent)]
    mode = question.research_mode
    against: tuple[Fired, ...] = ()
    if mode is not None:
        rules += rules_of_modes(deps.profile, intent)
        against = tuple(Fired(rule=rule, words=(mode,)) for rule in rules_against(rules, intent, mode))
    with recorder.stage(Stage.PROFILE) as stage:
        if not rules:
            stage.status = StageStatus.NOT_CONFIGURED
            stage.notes.append(_NOTHING_TO_LOOK_FOR)
            return None
        language = question.language or language_of_question(text)
        fired = (
            *find_rules("\n".join((text, *(question.given.companies or ()))), rules),
            *fired_by_jurisdiction(text, language, rules),
            *against,
        )
        stage.count_in, stage.count_out = len(rules), len(fired)
        stage.output = ProfileCheck(findings=tuple(_finding(each, ProfileEffect.REFUSED) for each in fired))
        if not fired:
            stage.notes.append("The question names nothing that the profile refuses.")
            return None
        stage.notes.extend(f"{name_rule(each.rule)}: named by {_quoted(each.words)}." for each in fired)
        first = fired[0].rule
        if first.sort is RuleSort.RESEARCH_MODES:
            message = _other_mode(first, permitted_modes(rules, intent), fired[0].words)
        else:
            message = (_OUTSIDE_QUESTION if first.sort in BOUNDS else _REFUSED).format(
                rule=name_rule(first), reason=first.text
            )
        return Refusal(reason=RefusalReason.PROFILE_REFUSED, message=f"{message}{_others(fired)}".strip())


def check_answer(
    recorder: TraceRecorder, answer: Answer, grant: KindGrant, deps: PipelineDependencies, language: str
) -> Answer:
    """Return the answer as the profile lets it out: as it is, marked, or withheld; with the disclaimers of its intent.

    Its quotes, and the titles of what it quotes, count as parts of it. A refusal claims nothing, so it carries none.
    """
    intent = grant.intent or FALLBACK_NAME
    rules = [rule for rule in deps.profile if rule.in_answer is not InAnswer.ALLOW and rule.holds_for(intent)]
    disclaimers = tuple(Disclaimer(key=rule.key, text=rule.text) for rule in disclaimers_of(deps.profile, intent))
    quoted = not_written_by(deps, intent)
    with recorder.stage(Stage.SUITABILITY) as stage:
        if not rules and not disclaimers and not quoted:
            stage.status = StageStatus.NOT_CONFIGURED
            stage.notes.append(_NOTHING_TO_LOOK_FOR)
            return answer
        if answer.refused:
            stage.status = StageStatus.SKIPPED
            stage.notes.append("There is no answer to check.")
            return answer
        parts = "\n".join(_parts(answer))
        fired = (*find_rules(parts, rules), *fired_by_jurisdiction(parts.replace("\n", " "), language, rules))
        blocking = [each for each in fired if each.rule.in_answer is InAnswer.BLOCK]
        findings = tuple(_finding(each, _effect(each, withheld=bool(blocking))) for each in fired)
        if blocking:
            disclaimers = ()
        stage.count_in, stage.count_out = len(rules), len(fired)
        stage.output = ProfileCheck(findings=findings, disclaimers=disclaimers)
        stage.notes.extend(f"{name_rule(each.rule)}: the answer is {_effect(each).value}." for each in fired)
        stage.notes.extend(quoted)
        stage.notes.extend(f"The disclaimer “{each.key}” stands under the answer." for each in disclaimers)
        if not stage.notes:
            stage.notes.append("The answer names nothing that the profile excludes.")
        if blocking:
            return _withheld(answer, blocking, findings)
        return replace(
            answer,
            notices=(*answer.notices, *quoted, *(_flag(each) for each in fired)),
            disclaimers=disclaimers,
            profile=findings,
        )


def check_passages(
    recorder: TraceRecorder,
    candidates: Sequence[Candidate],
    grant: KindGrant,
    deps: PipelineDependencies,
    language: str,
) -> None:
    """Record which rules an answer that quoted these passages would fall under. They are marked and none is held back.

    Whoever may read the documents may read them: the profile decides what the firm says, and a passage is no answer.
    """
    intent = grant.intent or FALLBACK_NAME
    rules = [rule for rule in deps.profile if rule.in_answer is not InAnswer.ALLOW and rule.holds_for(intent)]
    with recorder.stage(Stage.SUITABILITY) as stage:
        if not rules:
            stage.status = StageStatus.NOT_CONFIGURED
            stage.notes.append(_NOTHING_TO_LOOK_FOR)
            return
        chunks = [each.chunk for each in candidates]
        parts = "\n".join(part for each in chunks for part in (each.document.title, each.section, each.text))
        fired = (*find_rules(parts, rules), *fired_by_jurisdiction(parts.replace("\n", " "), language, rules))
        stage.count_in, stage.count_out = len(rules), len(fired)
        stage.output = ProfileCheck(findings=tuple(_finding(each, ProfileEffect.FLAGGED) for each in fired))
        stage.notes.extend(f"{name_rule(each.rule)}: named by {_quoted(each.words)}." for each in fired)
        if not fired:
            stage.notes.append("The passages name nothing that the profile excludes.")


def empty_analysis(text: str, refusal: Refusal, language: str, notices: tuple[str, ...] = ()) -> QueryAnalysis:
    """Return what is known of a question that is refused before anything of it is read against the documents."""
    return QueryAnalysis(
        text=text,
        search_text="",
        language=language,
        terms=(),
        concepts=(),
        names=(),
        expansions=(),
        filters=(),
        relaxed=(),
        ignored_words=(),
        years=(),
        wants_number=False,
        notices=notices,
        refusal=refusal,
    )


def without_draft(trace: Trace) -> Trace:
    """Return the trace of an answer that the profile withholds, without what it said."""
    return replace(
        trace,
        stages=tuple(
            replace(record, output=_emptied(record.output), exclusions=(), notes=())
            if isinstance(record.output, GeneratedAnswer | GroundingReport)
            else record
            for record in trace.stages
        ),
    )


def _emptied(output: GeneratedAnswer | GroundingReport) -> GeneratedAnswer | GroundingReport:
    if isinstance(output, GroundingReport):
        return replace(output, findings=(), reason="Withheld by the compliance profile.")
    return replace(output, text="", ref_ids=(), quotes=(), notes=(), claims=(), calculations=(), missing=())


def _withheld(answer: Answer, blocking: Sequence[Fired], findings: tuple[ProfileFinding, ...]) -> Answer:
    message = _BLOCKED.format(rule=name_rule(blocking[0].rule), reason=blocking[0].rule.text)
    refusal = Refusal(reason=RefusalReason.PROFILE_BLOCKED, message=f"{message}{_others(blocking)}".strip())
    return replace(
        answer,
        text=refusal.message,
        ref_ids=(),
        citations=(),
        grounding=None,
        notices=(),
        refusal=refusal,
        relevance=None,
        closest=False,
        profile=findings,
    )


def _parts(answer: Answer) -> Iterator[str]:
    yield answer.text
    yield from answer.notices
    for citation in answer.citations:
        yield from (citation.document_title, citation.section, citation.columns, citation.quote)
        if citation.row is not None:
            yield from (citation.row.label, citation.row.caption)
            # As a reader goes along the row, too: a name may stand in two cells of it.
            yield " ".join((citation.row.label, *(cell.value for cell in citation.row.cells)))
            for cell in citation.row.cells:
                yield from (cell.column, cell.value)


def _other_mode(rule: ProfileRule, permitted: Sequence[str], mode: Sequence[str]) -> str:
    return _OTHER_MODE.format(
        rule=name_rule(rule), modes=modes_in_words(permitted), mode=modes_in_words(mode), reason=rule.text
    )


def _finding(fired: Fired, effect: ProfileEffect) -> ProfileFinding:
    rule = fired.rule
    return ProfileFinding(
        key=rule.key,
        sort=rule.sort.value,
        name=rule.name,
        effect=effect,
        reason=rule.text,
        words=() if effect is ProfileEffect.BLOCKED else fired.words,
    )


def _effect(fired: Fired, *, withheld: bool = False) -> ProfileEffect:
    """Args: withheld: by any rule; then the words of none are shown."""
    return ProfileEffect.BLOCKED if withheld or fired.rule.in_answer is InAnswer.BLOCK else ProfileEffect.FLAGGED


def _flag(fired: Fired) -> str:
    return _FLAGGED.format(rule=name_rule(fired.rule), words=_quoted(fired.words), reason=fired.rule.text).strip()


def _others(fired: Sequence[Fired]) -> str:
    if len(fired) < 2:
        return ""
    return f" So does the {', the '.join(name_rule(each.rule) for each in fired[1:])}."


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{each}”" for each in words)
