"""What the API takes and tells of research."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.research.models import ResearchRun, RunMode, RunState, StepKind
from apps.research.runs.limits import CELLS_MOST
from apps.research.runs.plan_change import Wanted
from apps.research.runs.telling import row_json
from apps.retrieval.api.query_bodies import AskingSerializer
from apps.tenants.api.serializers import StrictSerializer

_WORDING_CHARS = 500


class ResearchRequestSerializer(AskingSerializer):
    as_of = None  # type: ignore[assignment]  # a field that is taken away
    mode = serializers.ChoiceField(
        choices=RunMode.choices,
        required=False,
        help_text="How far to go, within what the policy's profile permits for the intent; if absent, what the plan "
        "suggests, or the nearest that is permitted.",
    )
    confirm_plan = serializers.BooleanField(
        default=False, help_text="Wait in the state `planned` until you start it, so that you see the plan first."
    )

    def requested(self) -> dict[str, Any]:
        """What run_request takes. Call is_valid before."""
        asked = self.asked()
        asked.pop("as_of")
        mode = self.validated_data.get("mode")
        return {
            **asked,
            "mode": RunMode(mode) if mode else None,
            "confirm_plan": self.validated_data["confirm_plan"],
        }


class ResearchWantedSerializer(StrictSerializer):
    key = serializers.CharField(max_length=600, help_text="Of a question of the plan.")
    text = serializers.CharField(
        max_length=_WORDING_CHARS, allow_blank=True, default="", help_text="A new wording; empty to keep it."
    )


class ResearchPlanChangeSerializer(StrictSerializer):
    sub_questions = serializers.ListField(
        child=ResearchWantedSerializer(),
        max_length=CELLS_MOST,
        help_text="The questions that stay. A plan is narrowed or worded anew, and never extended.",
    )

    def wanted(self) -> list[Wanted]:
        return [Wanted(key=each["key"], text=each["text"]) for each in self.validated_data["sub_questions"]]


class ResearchBudgetSerializer(serializers.Serializer[Any]):
    rounds = serializers.IntegerField()
    confidence = serializers.IntegerField(help_text="0 to 100; no further round follows once it is reached.")
    searches = serializers.IntegerField()
    tokens = serializers.IntegerField()
    seconds = serializers.IntegerField()


class ResearchSpentSerializer(serializers.Serializer[Any]):
    rounds = serializers.IntegerField()
    searches = serializers.IntegerField()
    tokens = serializers.IntegerField()
    seconds = serializers.FloatField()


class ResearchRunRowSerializer(serializers.Serializer[Any]):
    """A run without any words."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=RunState.choices)
    mode = serializers.ChoiceField(choices=RunMode.choices)
    intent = serializers.CharField(help_text="Its name; `unrecognised` if no intent fitted.")
    policy_version = serializers.IntegerField(help_text="Under which it was asked; each step names its own.")
    kinds = serializers.ListField(child=serializers.CharField(), help_text="What any step may reach at most.")
    withheld = serializers.ListField(child=serializers.CharField(), help_text="What the policy withholds.")
    recording_mode = serializers.CharField()
    scope_ids = serializers.ListField(child=serializers.UUIDField())
    budget = ResearchBudgetSerializer()
    spent = ResearchSpentSerializer()
    confidence = serializers.IntegerField(help_text="0 to 100.")
    stopped_by = serializers.CharField(
        help_text="Why it ended: confidence, sufficient, rounds, no_new_phrase, budget, cancelled, access_ended, "
        "tenant_suspended, scopes_erased, intent_gone, nothing_permitted, mode_not_permitted, "
        "recording_changed, worker_lost or failed."
    )
    error_code = serializers.CharField()
    cancel_requested = serializers.BooleanField()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(help_text="When it is removed.")
    audit_event_id = serializers.UUIDField()

    def to_representation(self, instance: Any) -> Any:
        return super().to_representation(row_json(instance) if isinstance(instance, ResearchRun) else instance)


class ResearchSubQuestionSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    text = serializers.CharField()
    company = serializers.CharField()
    period = serializers.CharField()
    part = serializers.CharField()
    attempt = serializers.IntegerField(help_text="Which wording of it this is, from 0.")


class ResearchCompanyPlanSerializer(serializers.Serializer[Any]):
    company = serializers.CharField()
    ticker = serializers.CharField()
    periods = serializers.ListField(child=serializers.CharField(), help_text="Resolved from what is held of it.")


class ResearchPlanSerializer(serializers.Serializer[Any]):
    topic = serializers.CharField()
    question_type = serializers.CharField(help_text="comparison, trend, figure, explanation or description.")
    language = serializers.CharField()
    companies = ResearchCompanyPlanSerializer(many=True)
    periods_said = serializers.ListField(child=serializers.CharField())
    parts = serializers.ListField(child=serializers.CharField())
    needed = serializers.ListField(child=serializers.CharField(), help_text="Kinds that are searched, by name.")
    withheld = serializers.ListField(child=serializers.CharField(), help_text="Kinds in which nothing is planned.")
    suggested_mode = serializers.ChoiceField(choices=RunMode.choices)
    confidence = serializers.IntegerField(help_text="Of the intent, 0 to 100.")
    phrases = serializers.ListField(child=serializers.CharField())
    sub_questions = ResearchSubQuestionSerializer(many=True)
    steps = serializers.ListField(child=serializers.CharField(), help_text="The plan in sentences.")
    notices = serializers.ListField(child=serializers.CharField())
    wants_number = serializers.BooleanField()


class ResearchPassageSerializer(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    document_id = serializers.UUIDField()
    kind = serializers.CharField()
    rrf_score = serializers.FloatField()
    cited = serializers.BooleanField()


class ResearchStepSerializer(serializers.Serializer[Any]):
    ordinal = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=StepKind.choices)
    round = serializers.IntegerField()
    intent = serializers.CharField()
    policy_version = serializers.IntegerField()
    kinds = serializers.ListField(child=serializers.CharField())
    narrowed = serializers.ListField(
        child=serializers.CharField(), help_text="What was taken away since it was asked: policy, scopes, kinds."
    )
    audit_event_id = serializers.UUIDField(allow_null=True, help_text="The event of the question that it asked.")
    passages = ResearchPassageSerializer(many=True)
    scores = serializers.DictField(child=serializers.IntegerField())
    outcome = serializers.CharField()
    tokens = serializers.IntegerField()
    elapsed_ms = serializers.IntegerField()
    recorded_at = serializers.DateTimeField()
    content = serializers.JSONField(
        allow_null=True, help_text="What it says; null where its text is not kept, or may not be read any more."
    )


class ResearchSentenceSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    marks = serializers.ListField(child=serializers.CharField())
    grounded = serializers.BooleanField(help_text="Whether it wholly stands in its sources.")


class ResearchSectionSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()
    sentences = ResearchSentenceSerializer(many=True)


class ResearchCellSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    marks = serializers.ListField(child=serializers.CharField())


class ResearchTableRowSerializer(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]  # the row has it so
    cells = ResearchCellSerializer(many=True)


class ResearchTableSerializer(serializers.Serializer[Any]):
    columns = serializers.ListField(child=serializers.CharField())
    rows = ResearchTableRowSerializer(many=True)


class ResearchSourceSerializer(serializers.Serializer[Any]):
    mark = serializers.CharField(help_text="As in the text: 10K1, T1, N1, F1 or D1.")
    ref_id = serializers.CharField()
    document_id = serializers.UUIDField()
    chunk_id = serializers.UUIDField()
    title = serializers.CharField()
    version = serializers.IntegerField()
    kind = serializers.CharField()
    page = serializers.IntegerField()
    section = serializers.CharField()
    quote = serializers.CharField()
    url = serializers.CharField(help_text="Of the page; `char_start` and `char_end` are characters of its text.")
    char_start = serializers.IntegerField()
    char_end = serializers.IntegerField()
    confidence = serializers.IntegerField()
    relevance = serializers.IntegerField()


class ResearchScoreSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    value = serializers.IntegerField()
    reason = serializers.CharField()


class ResearchResultSerializer(serializers.Serializer[Any]):
    sections = ResearchSectionSerializer(many=True)
    table = ResearchTableSerializer(allow_null=True)
    sources = ResearchSourceSerializer(many=True)
    gaps = serializers.ListField(child=serializers.CharField(), help_text="What was asked for and not found.")
    notices = serializers.ListField(child=serializers.CharField())
    disclaimers = serializers.ListField(child=serializers.CharField())
    scores = ResearchScoreSerializer(many=True)
    confidence = serializers.IntegerField()
    stopped_by = serializers.CharField()


class ResearchRunSerializer(ResearchRunRowSerializer):
    question = serializers.CharField(allow_null=True, help_text="null where the texts are not there any more.")
    plan = ResearchPlanSerializer(allow_null=True)
    steps = ResearchStepSerializer(many=True)
    result = ResearchResultSerializer(allow_null=True)
