"""What became of a question, in words: the state, and what it means for whoever relies on the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from apps.retrieval.admin.ask_sentences import TITLES
from apps.retrieval.contracts import Answer, Degradation, GroundingStatus, RefusalReason, RelevanceStatus, Repair
from apps.retrieval.trace import Stage

# The label is always shown: neither the icon nor the colour stands alone.
_REFUSED: Mapping[RefusalReason, str] = {
    RefusalReason.TOO_VAGUE: "Nothing was searched: the question does not say clearly enough what it is about.",
    RefusalReason.NOTHING_FOUND: "Nothing in the documents that this question may reach matches it.",
    RefusalReason.NOTHING_WITHIN_FILTERS: "Nothing within the filters that came with the question matches it.",
    RefusalReason.NOT_IN_CONTEXT: "Passages were found, but none of them answers the question.",
    RefusalReason.UNGROUNDED: "An answer was written but withheld: the documents do not confirm it.",
    RefusalReason.PROFILE_REFUSED: "Nothing was searched: the firm's compliance profile refuses what it names.",
    RefusalReason.PROFILE_BLOCKED: "An answer was written but withheld: the compliance profile excludes what it names.",
}
_DEGRADED: Mapping[str, str] = {
    Stage.CLASSIFY: "An unusual wording may go unrecognised. Which kinds an intent may reach does not change.",
    Stage.EMBED: "Only the words of the question were searched. A passage that says the same in other words may be "
    "missing; ask again when the provider is back.",
    Stage.DIVERSIFY: "Passages that say the same may appear together. What was found does not change.",
    Stage.RERANK: "The passages are in the order of the search, so the best one may come later.",
    Stage.GROUND: "The model's answer is not shown. What you read is quoted from the documents.",
    Stage.GENERATE: "The answer is quoted word for word from the documents instead of being written by the model.",
}


_REPAIRED: Mapping[Repair, str] = {
    Repair.ASKED_AGAIN: (
        "The passages did not support the first answer. The model rewrote it, and they support the new one."
    ),
    Repair.SHORTENED: "Sentences that the passages did not support were removed. The passages support what is left.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A state: its word, a display tone, an icon, and what it means. link leads to the step that says more, if any."""

    label: str
    tone: str
    icon: str
    meaning: str
    link: str = ""
    link_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPart:
    """A part of the way that failed: what happened, and what that means for the answer."""

    title: str
    message: str
    meaning: str


def badges(answer: Answer) -> tuple[Badge, ...]:
    """Whether it answers what was asked, whether it stands in its sources, and what was missing on the way."""
    found = [_answer_badge(answer)]
    if answer.relevance is not None and answer.relevance.status is RelevanceStatus.PARTIAL:
        found.insert(
            0,
            Badge(
                label="Answers in part",
                tone="warn",
                icon="rule",
                meaning=f"Asked for, and not in the answer: {', '.join(answer.relevance.missing)}.",
            ),
        )
    if answer.repair is not Repair.NONE and not answer.refused:
        found.append(
            Badge(
                label="Repaired",
                tone="quiet",
                icon="build",
                meaning=_REPAIRED[answer.repair],
                link=f"#panel-{Stage.GROUND}",
                link_text="See what was not supported",
            )
        )
    if answer.profile and not answer.refused:
        found.append(
            Badge(
                label="Flagged",
                tone="warn",
                icon="flag",
                meaning="It names what the firm's compliance profile excludes. Below you see which rule, and why.",
                link=f"#panel-{Stage.SUITABILITY}",
                link_text="See the words",
            )
        )
    if answer.degraded:
        found.append(
            Badge(
                label="Degraded",
                tone="warn",
                icon="warning",
                meaning=(
                    "A step failed, and the question went on without it. Below you see which, and what that means."
                ),
            )
        )
    return tuple(found)


def missing_parts(answer: Answer) -> tuple[MissingPart, ...]:
    return tuple(_missing(each) for each in answer.degradations)


def _answer_badge(answer: Answer) -> Badge:
    if answer.refusal is not None:
        searched = answer.refusal.reason in (RefusalReason.NOT_IN_CONTEXT, RefusalReason.UNGROUNDED)
        return Badge(
            label="Refused",
            tone="warn",
            icon="block",
            meaning=_REFUSED[answer.refusal.reason],
            link=f"#panel-{Stage.FUSE}" if searched else "",
            link_text="See what was found" if searched else "",
        )
    if answer.closest:
        return Badge(
            label="Closest passages",
            tone="warn",
            icon="search_insights",
            meaning="Nothing that was found clearly answers the question. These passages come closest: judge yourself.",
            link=f"#panel-{Stage.FUSE}",
            link_text="See what was found",
        )
    if answer.grounding is GroundingStatus.GROUNDED:
        whole = answer.relevance is None or answer.relevance.status is RelevanceStatus.FULL
        return Badge(
            label="Grounded",
            # Green would say that the question is answered.
            tone="good" if whole else "quiet",
            icon="verified",
            meaning="Every number, quote and statement was found in the passages that the answer cites.",
        )
    raise AssertionError("an answer that is not grounded was passed")


def _missing(degradation: Degradation) -> MissingPart:
    return MissingPart(
        title=TITLES[Stage(degradation.stage)],
        message=degradation.message,
        meaning=_DEGRADED.get(degradation.stage, "The other steps ran without this one."),
    )
