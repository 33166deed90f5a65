"""One's own questions: what became of each, and sending one without an answer to the officers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.models import Event, Outcome
from apps.audit.registry import Group
from apps.audit.selectors import Reading, readings_of
from apps.retrieval.api.query_bodies import QuestionField
from apps.retrieval.kept.history import kept_among
from apps.retrieval.models import SentQuestion, SentState
from apps.retrieval.selectors.own_questions import own_questions
from apps.retrieval.selectors.sent_questions import sent_of
from apps.retrieval.sent.content import reply_of
from apps.retrieval.sent.services import LONGEST_NOTE, question_send, question_take_back
from apps.retrieval.stage_choice import stages_in_use
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import StrictSerializer, require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

_BASE: Final = "{base}/api/v1/queries/"
_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_SEND: Final = '{"question": "What was the drawdown in Q4 2024?", "consent": true, "note": "For the board."}'


class SentQuestionSerializer(serializers.Serializer[SentQuestion]):
    state = serializers.ChoiceField(choices=SentState.choices)
    sent_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    reply = serializers.SerializerMethodField(help_text="What the officer told you; empty without a reply.")

    def get_reply(self, row: SentQuestion) -> str:
        return reply_of(row)


class OwnQuestionSerializer(serializers.Serializer[Event]):
    id = serializers.UUIDField(help_text="The `audit_event_id` of the answer.")
    asked_at = serializers.DateTimeField(source="occurred_at")
    action = serializers.CharField(help_text="How it ended, such as retrieval.question.answered.")
    outcome = serializers.ChoiceField(choices=Outcome.choices)
    intent = serializers.SerializerMethodField(help_text="Its name; null if the question did not get that far.")
    policy_version = serializers.SerializerMethodField()
    refusal = serializers.SerializerMethodField(help_text="The reason of a refusal; empty without one.")
    question = serializers.SerializerMethodField(help_text="null where its text is not kept.")
    answer = serializers.SerializerMethodField(help_text="null where it is not kept: see `history_days` of the policy.")
    disclaimers = serializers.SerializerMethodField(
        help_text="What stood under the answer: show it wherever you show the answer."
    )
    sent = serializers.SerializerMethodField(help_text="What became of it with the officers; null if it was not sent.")

    def get_intent(self, event: Event) -> str | None:
        core = self._told(event, Group.CORE)
        return (core["intent"] or "unrecognised") if "intent" in core else None

    def get_policy_version(self, event: Event) -> int | None:
        found: int | None = self._told(event, Group.CORE).get("policy_version")
        return found

    def get_refusal(self, event: Event) -> str:
        return str(self._told(event, Group.ANSWER).get("refusal", ""))

    def get_question(self, event: Event) -> str | None:
        kept = self.context["kept"].get(event.id)
        found: str | None = kept.question if kept else self._told(event, Group.QUESTION).get("text")
        return found

    def get_answer(self, event: Event) -> str | None:
        kept = self.context["kept"].get(event.id)
        return kept.answer.text if kept else None

    def get_disclaimers(self, event: Event) -> list[str]:
        kept = self.context["kept"].get(event.id)
        return [each.text for each in kept.answer.disclaimers] if kept else []

    @extend_schema_field(SentQuestionSerializer(allow_null=True))
    def get_sent(self, event: Event) -> dict[str, Any] | None:
        sent = self.context["sent"].get(event.id)
        return dict(SentQuestionSerializer(sent).data) if sent else None

    def _told(self, event: Event, group: Group) -> Mapping[str, Any]:
        reading: Reading = self.context["told"][event.id]
        return reading.payload.get(group, {})


class SendSerializer(StrictSerializer):
    question = QuestionField(help_text="The question word for word: the log has only a keyed hash of most.")
    consent = serializers.BooleanField(help_text="You agree that the officers of its scopes keep and read its text.")
    note = serializers.CharField(
        max_length=LONGEST_NOTE, allow_blank=True, default="", help_text="For the officer; may be empty."
    )

    def validate_question(self, text: str) -> str:
        """A longer one was refused unread, which no officer can help with."""
        maximum = stages_in_use().question_maximum_chars
        if len(text) > maximum:
            raise serializers.ValidationError(f"Enter at most {maximum:,} characters.")
        return text


class OwnQuestionListView(ApiListView[Event]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.QUESTION_ASK}
    serializer_class = OwnQuestionSerializer
    ordering = ("-occurred_at", "-id")

    def get_queryset(self) -> QuerySet[Event]:
        # The description of the API is made without a principal.
        return Event.objects.none() if getattr(self, "swagger_fake_view", False) else own_questions(self.principal)

    def page_context(self, page: Sequence[Event]) -> dict[str, Any]:
        ids, asker = [event.id for event in page], self.principal.id
        return {
            "told": readings_of(page, groups=(Group.CORE, Group.QUESTION, Group.ANSWER)),
            "kept": kept_among(ids, asker_id=asker) if asker else {},
            "sent": sent_of(ids, asker_id=asker) if asker else {},
        }

    @extend_schema(
        operation_id="list_own_questions",
        tags=["Questions"],
        summary="List your questions",
        description=(
            "What you asked and searched for, newest first, with what became of each. The text of a question is "
            "there where the policy records it or keeps a history for you, and the answer where it keeps one. A key "
            "of a person lists that person's questions; a key of the tenant lists its own."
        ),
        extensions=sample(f'curl "{_BASE}" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class SendQuestionView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.QUESTION_ASK}

    @extend_schema(
        operation_id="send_question",
        tags=["Questions"],
        summary="Send a question to an officer",
        description=(
            "Sends a question of yours that got no answer to the compliance officers of its scopes, who can answer it, "
            "make it a review example, or tell why there is no answer. `GET /api/v1/queries/` shows what became of "
            "it. The text is kept encrypted for them, until you take it back, and for 90 days after the decision at "
            "most. Only a person sends: a key of the tenant gets 404."
        ),
        request=SendSerializer,
        responses={201: SentQuestionSerializer},
        extensions=sample(
            f'curl "{_BASE}$QUESTION_ID/send/" {_KEY} \\\n  -H "Content-Type: application/json" \\\n  -d \'{_SEND}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        body = SendSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        row = question_send(id, text=said["question"], note=said["note"], consent=said["consent"])
        return ActResponse(
            dict(SentQuestionSerializer(row).data),
            status=201,
            subject_id=row.id,
            scope_ids=[ScopeId(each) for each in row.scope_ids],
        )


class TakeBackQuestionView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.QUESTION_ASK}

    @extend_schema(
        operation_id="take_back_question",
        tags=["Questions"],
        summary="Take a question back from the officers",
        description=(
            "Removes the text that you sent, your note, and the officer's reply. The log keeps that it was sent."
        ),
        request=None,
        responses={204: OpenApiResponse(description="Removed.")},
        extensions=sample(f'curl -X POST "{_BASE}$QUESTION_ID/take-back/" {_KEY}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        question_take_back(id)
        return ActResponse(status=204, subject_id=id)
