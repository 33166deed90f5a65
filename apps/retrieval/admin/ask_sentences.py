"""Each stage of the way in one plain sentence, and its counts with their units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.admin.ask_figures import counted
from apps.retrieval.contracts import (
    Certainty,
    ContextBlock,
    GeneratedAnswer,
    GroundingReport,
    MetadataFilter,
    QueryAnalysis,
    Ranking,
    ReadWith,
)
from apps.retrieval.trace import (
    CandidateList,
    CutLine,
    EmbeddedQuery,
    FusedRanking,
    Stage,
    StageRecord,
    StageStatus,
    ValidatedQuestion,
)

TITLES: Final[Mapping[Stage, str]] = {
    Stage.VALIDATE: "Read the text",
    Stage.CLASSIFY: "Find the intent",
    Stage.GATE: "Permit and withhold kinds",
    Stage.PROFILE: "Hold it against the profile",
    Stage.ANALYSE: "Read filters and terms",
    Stage.REWRITE: "Try other wordings",
    Stage.EMBED: "Turn it into a vector",
    Stage.DENSE: "Search by meaning",
    Stage.SPARSE: "Search by words",
    Stage.STATEMENTS: "Search the statements",
    Stage.METADATA: "Search titles and headings",
    Stage.FUSE: "Fuse the rankings",
    Stage.BOOST: "Lift likely documents",
    Stage.DIVERSIFY: "Spread out repetitions",
    Stage.RERANK: "Order anew",
    Stage.CUT_OFF: "Cut off the tail",
    Stage.HEAL: "Ask for what is missing",
    Stage.LINES: "Read the statements' lines",
    Stage.EXPAND: "Add what stands around",
    Stage.ASSEMBLE: "Fill the context",
    Stage.GENERATE: "Write the answer",
    Stage.GROUND: "Check every claim",
    Stage.SUITABILITY: "Hold the answer against the profile",
}
NOT_REACHED: Final = "Not reached: the question ended earlier."

# What goes in, for one and for many; what comes out.
_UNITS: Final[Mapping[Stage, tuple[str, str, str]]] = {
    Stage.VALIDATE: ("character", "characters", "read"),
    Stage.GATE: ("kind", "kinds", "permitted"),
    Stage.PROFILE: ("rule", "rules", "fired"),
    Stage.SUITABILITY: ("rule", "rules", "fired"),
    Stage.ANALYSE: ("document held", "documents held", "terms read"),
    Stage.REWRITE: ("wording", "wordings", "searched"),
    Stage.EMBED: ("wording", "wordings", "embedded"),
    Stage.DENSE: ("scored", "scored", "found"),
    Stage.SPARSE: ("scored", "scored", "found"),
    Stage.STATEMENTS: ("scored", "scored", "found"),
    Stage.METADATA: ("scored", "scored", "found"),
    Stage.FUSE: ("hit", "hits", "fused"),
    Stage.EXPAND: ("passage", "passages", "with what was added"),
    Stage.GENERATE: ("passage", "passages", "cited"),
    Stage.GROUND: ("claim", "claims", "supported"),
}
_PASSAGES: Final = ("passage", "passages", "kept")
_BY: Final[Mapping[Stage, str]] = {
    Stage.DENSE: "nearest in meaning",
    Stage.SPARSE: "by the words of the question (BM25)",
    Stage.STATEMENTS: "on the pages of the financial statements that the question's figures are read from (BM25)",
    Stage.METADATA: "by title, headings, company, period and kind only (BM25)",
}


def counts(record: StageRecord) -> str:
    """10 kinds → 3 permitted; empty for a stage that counts nothing."""
    one, many, after = _UNITS.get(record.stage, _PASSAGES)
    shown = []
    if record.count_in is not None:
        shown.append(f"{record.count_in:,} {one if record.count_in == 1 else many}")
    if record.count_out is not None:
        shown.append(f"{record.count_out:,} {after}")
    return " → ".join(shown)


def sentence(record: StageRecord) -> str:
    """What the stage did with this question."""
    words = _words(record)
    return words[:1].upper() + words[1:]


def _read_with(told: ReadWith | None) -> str:
    if told is None:
        return ""
    if told.asked_as is not None:
        return f"Read with an earlier question as: {told.asked_as}"
    return " ".join(told.notes) or "It stands by itself, so no earlier question was needed."


def _words(record: StageRecord) -> str:
    if record.status in (StageStatus.NOT_CONFIGURED, StageStatus.SKIPPED):
        return " ".join(record.notes)
    match record.output:
        case ValidatedQuestion(length_chars=length, read_with=read_with):
            validated = _validated((record.count_in or length) - length)
            return f"{validated} {_read_with(read_with)}".strip()
        case IntentDecision(recognised=True, label=label):
            return f"The question is about: {label}."
        case IntentDecision():
            return "No intent is near enough, so only the most restrictive set of kinds may be reached."
        case KindGrant() as grant:
            total = len(grant.permitted) + len(grant.withheld)
            return (
                f"Policy version {grant.policy_version} lets this intent reach {len(grant.permitted)} of {total} "
                "kinds of document. A model never decides this."
            )
        case QueryAnalysis() as analysis:
            return _analysed(analysis)
        case EmbeddedQuery(provider=provider, region=region, dimension=dimension):
            return f"The provider {provider} in region {region} computed a vector of {dimension} numbers."
        case Ranking(hits=hits):
            return (
                f"{counted(len(hits), 'passage')} {_BY[record.stage]}, within the granted scopes and permitted kinds."
            )
        case FusedRanking(hits=hits):
            return f"{counted(len(hits), 'passage')} in one list. Those that rank high in several rankings come first."
        case CandidateList(candidates=lines) if record.stage is Stage.BOOST:
            lifted = sum(line.boost > 0 for line in lines)
            return f"{counted(lifted, 'passage')} moved up: by a likely filter, or for exactly the quarter meant."
        case CutLine(reason=reason) | GroundingReport(reason=reason):
            return reason
        case ContextBlock() as context:
            return _assembled(context)
        case GeneratedAnswer() as draft:
            return _written(draft)
        case _:
            return " ".join(record.notes)


def _validated(removed_chars: int) -> str:
    if removed_chars <= 0:
        return "Nothing had to be removed."
    return f"{counted(removed_chars, 'character')} removed: extra spaces or invisible characters."


def _analysed(analysis: QueryAnalysis) -> str:
    if analysis.refusal is not None:
        return "The question does not say what it is about, so nothing is searched."
    sure = [_named(each) for each in analysis.filters if each.certainty is Certainty.SURE]
    likely = [_named(each) for each in analysis.filters if each.certainty is Certainty.LIKELY]
    narrow = [*(f"{each.label} (given)" for each in analysis.given), *sure]
    parts = [f"Searched only in {'; '.join(narrow)}" if narrow else "No filter narrows the search"]
    if likely:
        parts.append(f"probably meant: {'; '.join(likely)}")
    if analysis.relaxed:
        parts.append(f"{counted(len(analysis.relaxed), 'filter')} of the text removed again")
    return "; ".join(parts) + "."


def _named(condition: MetadataFilter) -> str:
    return f"{condition.field.value.replace('_', ' ')} {' or '.join(condition.values)}"


def _assembled(context: ContextBlock) -> str:
    return (
        f"{counted(len(context.passages), 'passage')} in {context.size_chars:,} of {context.total_cap_chars:,} "
        f"characters; {len(context.left_out)} left out by their budget, "
        f"{counted(len(context.evicted), 'section')} left out whole."
    )


def _written(draft: GeneratedAnswer) -> str:
    if draft.refusal is not None:
        return "No answer was written: the context does not contain one."
    passages = counted(len(draft.ref_ids), "passage")
    if not draft.model:
        worked = f", and {counted(draft.worked_out, 'line')} worked out from the rows" if draft.worked_out else ""
        return f"Quoted word for word from {passages}{worked}, without a model."
    return f"Written by {draft.model} from {passages}, in {counted(draft.attempts, 'call')}."
