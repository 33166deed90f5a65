"""Check what a policy says, as JSON: the shape that the API gives, taken back to the letter.

What a table can't hold is refused here, at its path. Whether a policy can be used is not looked at: a draft may be
unfinished, and validation.py says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final

from rest_framework import serializers

from apps.corpus.api.kind import KindKeyField
from apps.corpus.kinds import RetentionClass, SourceType
from apps.intents.api.content_fields import NumberField, TextField
from apps.intents.contracts import FALLBACK_NAME, ClassifierSettings, RecordingMode
from apps.intents.errors import InvalidRetrievalSettingsError
from apps.intents.invariants import LONGEST_NAME as LONGEST_INVARIANT
from apps.intents.invariants import MOST_INVARIANTS, InvariantMode
from apps.intents.policy_file.limits import (
    LONGEST_DOCUMENT_EXAMPLE,
    LONGEST_EXAMPLE,
    LONGEST_LABEL,
    LONGEST_NAME,
    LONGEST_TERM,
    MOST_CHARS,
    MOST_NEIGHBOURS,
)
from apps.intents.profile.contracts import (
    LONGEST_KEY,
    LONGEST_TEXT,
    MOST_RULES,
    NEEDING_EFFECT,
    OF_MEANS,
    WATCHING,
    InAnswer,
    InQuestion,
    RuleSort,
)
from apps.intents.profile.contracts import LONGEST_NAME as LONGEST_RULE_NAME
from apps.intents.profile.contracts import LONGEST_TERM as LONGEST_RULE_TERM
from apps.intents.profile.contracts import MOST_TERMS as MOST_RULE_TERMS
from apps.intents.retrieval_settings import RetrievalSettings, retrieval_settings_from_json
from apps.intents.reviewers import TwoFor
from apps.intents.validation import MAXIMUM_KINDS
from apps.tenants.api.serializers import Field, StrictSerializer, choices_of
from apps.tenants.roles import Role

# Far above what an officer writes, and what the tables' positions and the check of the examples can bear.
MOST_INTENTS: Final = 20
MOST_EXAMPLES: Final = 200
MOST_TERMS: Final = 500
LONGEST_DESCRIPTION: Final = 20_000


class _RuleSerializer(StrictSerializer):
    """What an intent and the fallback have in common."""

    description = TextField(max_length=LONGEST_DESCRIPTION, help_text="Which questions belong here, in plain words.")
    kinds = serializers.ListField(child=KindKeyField(), max_length=MAXIMUM_KINDS)
    recording_mode = serializers.ChoiceField(choices=choices_of(RecordingMode))
    examples = serializers.ListField(
        child=TextField(max_length=LONGEST_EXAMPLE), max_length=MOST_EXAMPLES, help_text="Review examples."
    )

    def get_fields(self) -> dict[str, Field]:
        # A class body can't declare it: every field has an attribute of that name.
        return {**super().get_fields(), "label": TextField(max_length=LONGEST_LABEL)}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        _refuse(kinds=_repeats(attrs["kinds"]), examples=_repeats(attrs["examples"]))
        return attrs


class FallbackContentSerializer(_RuleSerializer):
    pass


class IntentContentSerializer(_RuleSerializer):
    name = serializers.RegexField(
        r"^[a-z][a-z0-9_]*\Z",
        max_length=LONGEST_NAME,
        trim_whitespace=False,
        error_messages={"invalid": "Lower-case letters, digits and _; begin with a letter."},
    )
    decisive_terms = serializers.ListField(child=TextField(max_length=LONGEST_TERM), max_length=MOST_TERMS)
    terms = serializers.ListField(child=TextField(max_length=LONGEST_TERM), max_length=MOST_TERMS)

    def validate_name(self, name: str) -> str:
        if name == FALLBACK_NAME:
            raise serializers.ValidationError("This name belongs to the fallback; choose another.")
        return name

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        decisive = attrs["decisive_terms"]
        _refuse(decisive_terms=_repeats(decisive), terms=_repeats(attrs["terms"], known=decisive))
        return super().validate(attrs)


class BudgetContentSerializer(StrictSerializer):
    """A kind of document. What is left out gets its default."""

    kind = KindKeyField(help_text="The key: how documents name their kind. It never changes.")
    name = TextField(max_length=LONGEST_LABEL, required=False, help_text="What pages call it.")
    description = TextField(max_length=LONGEST_DESCRIPTION, required=False, allow_blank=True)
    examples = serializers.ListField(
        child=TextField(max_length=LONGEST_DOCUMENT_EXAMPLE),
        max_length=50,
        required=False,
        help_text="Of such documents, in words.",
    )
    retention_class = serializers.ChoiceField(
        choices=RetentionClass.choices, required=False, help_text="Which rule of the retention schedule it follows."
    )
    source_category = serializers.ChoiceField(
        choices=SourceType.choices,
        required=False,
        help_text="The source of documents whose upload does not say it. `internal` leaves it to the document type.",
    )
    uploaders = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices),
        max_length=len(Role),
        required=False,
        help_text="The roles that may upload it; empty for all that may add documents.",
    )
    correctors = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices),
        max_length=len(Role),
        required=False,
        help_text="The roles that may correct its documents; empty for those that may upload it.",
    )
    removers = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices),
        max_length=len(Role),
        required=False,
        help_text="The roles that may propose the removal of its documents; empty for all that may propose one.",
    )
    retired = serializers.BooleanField(required=False, help_text="true: nothing more is uploaded as such.")
    cap_chars = serializers.IntegerField(min_value=1, max_value=MOST_CHARS)

    def get_fields(self) -> dict[str, Field]:
        return {**super().get_fields(), "label": TextField(max_length=LONGEST_LABEL)}


class ClassifierContentSerializer(StrictSerializer):
    """All thresholds of the classifier; none has a default, since a policy is nobody's guess."""

    def get_fields(self) -> dict[str, Field]:
        return {
            field.name: serializers.IntegerField(min_value=1, max_value=MOST_NEIGHBOURS)
            if field.name == "neighbours"
            else NumberField()
            for field in fields(ClassifierSettings)
        }


class InvariantContentSerializer(StrictSerializer):
    """What no version may let through. Whether it names what the version has is said by its check."""

    name = TextField(max_length=LONGEST_INVARIANT, help_text="What the firm calls it.")
    mode = serializers.ChoiceField(
        choices=choices_of(InvariantMode),
        help_text="`never`: these questions never reach these kinds; `only`: no others do.",
    )
    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices), max_length=len(Role), help_text="Empty for all."
    )
    intents = serializers.ListField(
        child=TextField(max_length=LONGEST_NAME), max_length=MOST_INTENTS, help_text="Their names; empty for all."
    )
    kinds = serializers.ListField(child=KindKeyField(), max_length=MAXIMUM_KINDS)


class ProfileRuleContentSerializer(StrictSerializer):
    """A rule of the compliance profile. Whether its words can be looked for is said by its check."""

    key = serializers.RegexField(
        r"^[a-z][a-z0-9_]*\Z",
        max_length=LONGEST_KEY,
        trim_whitespace=False,
        error_messages={"invalid": "Lower-case letters, digits and _; begin with a letter."},
    )
    sort = serializers.ChoiceField(choices=choices_of(RuleSort))
    name = TextField(max_length=LONGEST_RULE_NAME, help_text="What the firm calls it.")
    terms = serializers.ListField(
        child=TextField(max_length=LONGEST_RULE_TERM),
        max_length=MOST_RULE_TERMS,
        required=False,
        help_text="Words and phrases; of a bound, the values that are permitted.",
    )
    intents = serializers.ListField(
        child=TextField(max_length=LONGEST_NAME),
        max_length=MOST_INTENTS + 1,
        required=False,
        help_text="Of a disclaimer or a bound: names of intents; empty for all.",
    )
    text = TextField(max_length=LONGEST_TEXT, help_text="The reason that users read, or the disclaimer.")
    in_question = serializers.ChoiceField(
        choices=choices_of(InQuestion), required=False, help_text="`allow` where it is omitted."
    )
    in_answer = serializers.ChoiceField(
        choices=choices_of(InAnswer), required=False, help_text="`allow` where it is omitted."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        allows = {attrs.get("in_question", "allow"), attrs.get("in_answer", "allow")} == {"allow"}
        sort, terms = attrs["sort"], attrs.get("terms")
        problems: dict[str, list[str]] = {}
        if sort == RuleSort.DISCLAIMER and (terms or not allows):
            problems["sort"] = ["A disclaimer looks for no words and refuses nothing; omit terms and effects."]
        elif sort != RuleSort.DISCLAIMER and not terms:
            problems["terms"] = ["Name the words to look for, or the values to permit."]
        elif sort in NEEDING_EFFECT and allows:
            problems["in_question"] = ["This rule does nothing; say what becomes of a question or an answer."]
        elif sort in OF_MEANS and not allows:
            problems["in_question"] = ["A bound of the means of an answer refuses nothing; omit the effects."]
        elif sort in WATCHING and attrs.get("intents"):
            problems["intents"] = ["A topic or product holds for every question; omit them."]
        if problems:
            raise serializers.ValidationError(problems)
        return attrs


class PolicyContentSerializer(StrictSerializer):
    """The parts of a policy as `GET versions/{id}/` shows them, and nothing beside them."""

    intents = serializers.ListField(child=IntentContentSerializer(), max_length=MOST_INTENTS)
    fallback = FallbackContentSerializer()
    budgets = serializers.ListField(
        child=BudgetContentSerializer(), max_length=MAXIMUM_KINDS, help_text="Highest priority first."
    )
    total_cap_chars = serializers.IntegerField(min_value=1, max_value=MOST_CHARS)
    classifier = ClassifierContentSerializer()
    retrieval = serializers.DictField(child=serializers.JSONField(), help_text="Omitted settings get their defaults.")

    invariants = serializers.ListField(
        child=InvariantContentSerializer(),
        required=False,
        max_length=MOST_INVARIANTS,
        help_text="What no version may let through; omitted where there are none.",
    )
    profile = serializers.ListField(
        child=ProfileRuleContentSerializer(),
        required=False,
        max_length=MOST_RULES,
        help_text="The compliance profile; omitted where it has no rule.",
    )
    two_reviewers_for = serializers.ListField(
        child=serializers.ChoiceField(choices=choices_of(TwoFor)),
        required=False,
        max_length=len(TwoFor),
        help_text="Which changes of this version take two reviewers; omitted where one always suffices.",
    )

    def validate_retrieval(self, values: dict[str, Any]) -> dict[str, int | float | bool]:
        problems: dict[str, list[str]] = {}
        for name, value in values.items():
            try:
                retrieval_settings_from_json({name: value})
            except InvalidRetrievalSettingsError as error:
                problems[name] = [f"{error.data['problem'].capitalize()}."]
        if problems:
            raise serializers.ValidationError(problems)
        # A program that writes 1.0 as 1 means the same, and must not make another policy of it.
        shipped = RetrievalSettings().as_json()
        return {name: float(value) if isinstance(shipped[name], float) else value for name, value in values.items()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        _refuse(intents=_repeats_of("name", attrs["intents"]), budgets=_repeats_of("kind", attrs["budgets"]))
        _refuse(invariants=_repeats_of("name", attrs.get("invariants", [])))
        _refuse(profile=_repeats_of("key", attrs.get("profile", [])))
        return attrs


def _repeats(values: Iterable[str], *, known: Iterable[str] = ()) -> dict[int, list[str]]:
    """By its place in the list: what has been said before, in the list or among the known."""
    seen = set(known)
    repeated: dict[int, list[str]] = {}
    for place, value in enumerate(values):
        if value in seen:
            repeated[place] = ["This occurs twice; remove one."]
        seen.add(value)
    return repeated


def _repeats_of(key: str, rows: list[dict[str, Any]]) -> dict[int, dict[str, list[str]]]:
    return {place: {key: said} for place, said in _repeats(row[key] for row in rows).items()}


def _refuse(**errors: Mapping[int, Any]) -> None:
    """Raises ValidationError where there is any."""
    found: Any = {name: places for name, places in errors.items() if places}
    if found:
        raise serializers.ValidationError(found)
