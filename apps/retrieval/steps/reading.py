"""Read from the question what it may reach and what it is about."""

from __future__ import annotations

from dataclasses import replace

from apps.corpus.extraction.language import language_of_question
from apps.intents.contracts import IntentDecision, KindGrant
from apps.intents.instructions import core_question
from apps.retrieval.contracts import NO_FILTERS, QueryAnalysis, Question, SearchBounds
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.stages.question.analyse import analyse
from apps.retrieval.stages.question.given import describe_given
from apps.retrieval.stages.question.validate import validate
from apps.retrieval.trace import Stage, ValidatedQuestion

_TERMS_ALONE = "The intent was decided only by terms, because the embedding provider did not answer."


def read_question(recorder: TraceRecorder, question: Question, deps: PipelineDependencies) -> str:
    """Check and normalise the text. Raises: QuestionError."""
    with recorder.stage(Stage.VALIDATE, count_in=len(question.text)) as stage:
        text = validate(question.text, maximum_chars=deps.settings.question_maximum_chars)
        stage.count_out = len(text)
        read_with = question.read_with
        if read_with is not None:
            stage.notes.extend(read_with.notes)
            if read_with.asked_as is not None:
                stage.notes.append(f"Read with an earlier question of the same person as: {text}")
        stage.output = ValidatedQuestion(text=text, length_chars=len(text), read_with=read_with)
        return text


def notes_of(question: Question) -> tuple[str, ...]:
    """Return what the person should know of how the question was read with earlier ones."""
    return question.read_with.notes if question.read_with else ()


def classify(recorder: TraceRecorder, text: str, deps: PipelineDependencies) -> IntentDecision:
    """Decide the intent. Without vectors, decide by terms only; the trace then shows the stage as degraded."""
    with recorder.stage(Stage.CLASSIFY) as stage:
        decision = deps.intents.classify(text)
        stage.output = decision
        stage.notes.append(decision.reason)
        if decision.degraded:
            stage.degrade(code="intents.without_vectors", message=_TERMS_ALONE)
        return decision


def grant_kinds(
    recorder: TraceRecorder, question: Question, decision: IntentDecision, deps: PipelineDependencies
) -> KindGrant:
    """Return the kinds that the intent may reach. This is compliance gate 1.

    A filter on kinds can narrow this later, but never adds a kind.
    """
    with recorder.stage(Stage.GATE) as stage:
        grant = deps.intents.grant(decision)
        stage.count_in = len(grant.permitted) + len(grant.withheld)
        stage.count_out = len(grant.permitted)
        for kind in grant.withheld:
            stage.exclude(kind.value, f"Policy version {grant.policy_version} does not permit it for this intent.")
        if question.given.kinds is not None:
            stage.notes.append(f"The request asks only for {', '.join(question.given.kinds)}.")
        stage.output = grant
        return grant


def bounds_of(question: Question, grant: KindGrant, deps: PipelineDependencies) -> SearchBounds:
    """Return the bounds of the search: scopes, permitted kinds, and the part of its given filters that can be met."""
    bounds = SearchBounds(
        tenant_id=question.tenant_id, scope_ids=question.scope_ids, kinds=grant.permitted, as_of=question.as_of
    )
    given = question.given
    if given == NO_FILTERS:
        return bounds
    held = deps.inventory.held(given, bounds)
    if given.kinds is not None:
        held = replace(held, kinds=tuple(kind for kind in grant.permitted if kind in given.kinds))
    return replace(bounds, given=held)


def read_meaning(
    recorder: TraceRecorder,
    question: Question,
    text: str,
    grant: KindGrant,
    bounds: SearchBounds,
    deps: PipelineDependencies,
) -> QueryAnalysis:
    """Read filters, terms and concepts from the question, against the documents that are held within the bounds."""
    with recorder.stage(Stage.ANALYSE) as stage:
        inventory = deps.inventory.read(bounds)
        # As in the intent classifier, claimed roles and instructions say nothing about the subject of the question.
        core = core_question(text)
        for phrase in core.instructions:
            stage.exclude(f"words “{phrase}”", "An instruction or a claimed role is not what the question is about.")
        analysis = analyse(
            core.search_text or text,
            language=question.language or language_of_question(text),
            inventory=inventory,
            minimum_chars=deps.policy.minimum_question_chars,
            expansion_weight=deps.settings.expansion_weight,
            statement_weight=deps.settings.statement_weight,
            newest_first=deps.settings.prefer_newest,
            given=describe_given(question.given, bounds.given, grant=grant, as_of=question.as_of),
        )
        analysis = replace(analysis, notices=(*notes_of(question), *analysis.notices))
        stage.count_in = sum(entry.documents for entry in inventory.entries)
        stage.count_out = len(analysis.terms)
        stage.notes.extend(f"given: {each.label}" for each in analysis.given)
        stage.notes.extend(f"{each.certainty.value}: {each.reason}" for each in analysis.filters)
        stage.notes.extend(analysis.notices)
        for relaxed in analysis.relaxed:
            stage.exclude(f"filter {relaxed.filter.field.value}", relaxed.reason)
        stage.output = analysis
        return analysis
