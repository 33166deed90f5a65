"""Policy versions as a client sees them, and what it sends to change one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.intents.api.content_fields import TextField
from apps.intents.api.policy_content import PolicyContentSerializer
from apps.intents.api.views import PolicySerializer
from apps.intents.contracts import PolicySnapshot
from apps.intents.diff import ChangeKind
from apps.intents.flow import VERSIONS
from apps.intents.models import PolicyVersion, ReviewComment, Turn, VersionOrigin, VersionStatus
from apps.intents.rendering import policy_sha256
from apps.intents.services.approvals import approvals_asked
from apps.tenants.api.next_steps import NextStepSerializer, NextStepsField, Operation
from apps.tenants.api.serializers import StrictSerializer, choices_of, revision_field
from apps.tenants.flows.checks import steps_offered

LONGEST_REASON: Final = 4_000
LONGEST_COMMENT: Final = 10_000
# The shipped policy has 20,000 characters.
LONGEST_FILE: Final = 150_000
_DECISION: Final = ("revision", "reason")
OPERATIONS: Final[Mapping[str, Operation]] = {
    "submit": Operation("submit/", ("revision",)),
    "discard": Operation("", method="DELETE"),
    "approve": Operation("approve/", ("revision",)),
    "send_back": Operation("send-back/", _DECISION),
    "reject": Operation("reject/", _DECISION),
    "withdraw": Operation("withdraw/", _DECISION),
}


class ApprovalsSerializer(serializers.Serializer[Any]):
    required = serializers.IntegerField(  # type: ignore[assignment]  # the serializer takes its fields out of the class
        help_text="By the rule of the version in force: 1 or 2."
    )
    given = serializers.IntegerField(help_text="Those that count, of this revision and against the version in force.")


class VersionSerializer(serializers.Serializer[Any]):
    """A version's life, without what it says. Needs the context `snapshots`: the versions' snapshots by id."""

    version = serializers.IntegerField(
        source="number", help_text="The version's number, counted from 1 in each tenant."
    )
    version_id = serializers.UUIDField(source="id")
    status = serializers.ChoiceField(choices=VersionStatus.choices)
    origin = serializers.ChoiceField(choices=VersionOrigin.choices)
    based_on = serializers.IntegerField(
        source="based_on.number",
        default=None,
        allow_null=True,
        help_text="The number of the version that was in force when it was begun.",
    )
    author = serializers.CharField(source="author_label")
    approver = serializers.CharField(source="approver_label", help_text="Who decided; empty until somebody has.")
    reason = serializers.CharField(help_text="Why the author wants it.")
    revision = serializers.IntegerField(
        help_text="Counts changes and submissions. Send the revision that you read with each step."
    )
    created_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_reason = serializers.CharField()
    effective_from = serializers.DateTimeField(
        allow_null=True, help_text="When it comes or came into force, according to its approval."
    )
    valid_from = serializers.DateTimeField(allow_null=True, help_text="null while it has not been in force.")
    valid_to = serializers.DateTimeField(allow_null=True, help_text="null while it is in force.")
    content_sha256 = serializers.SerializerMethodField(help_text="Equal for policies with the same content.")
    approvals = serializers.SerializerMethodField(help_text="What it waits for in review; null in any other status.")
    next_steps = NextStepsField(
        offers=partial(steps_offered, VERSIONS),
        operations=lambda step: OPERATIONS.get(step.name),
        address="/api/v1/policy/versions/{id}/",
    )

    def get_content_sha256(self, version: PolicyVersion) -> str:
        snapshots: Mapping[UUID, PolicySnapshot] = self.context["snapshots"]
        return policy_sha256(snapshots[version.id])

    @extend_schema_field(ApprovalsSerializer(allow_null=True))
    def get_approvals(self, version: PolicyVersion) -> dict[str, int] | None:
        required, given = approvals_asked(version)
        return {"required": required, "given": given} if required else None


class ReceiptSerializer(serializers.ModelSerializer[ReviewComment]):
    """A comment without its text: an answer may be kept for a day to be repeated, and a text is kept in one place."""

    author = serializers.CharField(source="author_label", read_only=True)
    answers = serializers.UUIDField(
        source="answers_id", read_only=True, allow_null=True, help_text="The comment that it answers; null for none."
    )
    about_intent = serializers.CharField(
        read_only=True, help_text="The intent that it is about; empty for a whole kind or the whole version."
    )
    about_kind = serializers.CharField(
        read_only=True, help_text="The kind that it is about; empty for a whole intent or the whole version."
    )
    turn = serializers.ChoiceField(
        choices=Turn.choices,
        read_only=True,
        help_text="Whether it resolves what it answers, or opens it again. The last turn counts.",
    )
    revision = serializers.IntegerField(read_only=True, help_text="The revision that it was said of.")

    class Meta:
        model = ReviewComment
        fields: tuple[str, ...] = (
            *("id", "author", "created_at", "revision"),
            *("about_intent", "about_kind", "answers", "turn"),
        )
        read_only_fields = fields


class CommentSerializer(ReceiptSerializer):
    class Meta(ReceiptSerializer.Meta):
        fields = (*ReceiptSerializer.Meta.fields, "text")
        read_only_fields = fields


class VersionDetailSerializer(PolicySerializer):
    """The schema of a version in full: its life, its content and what was said of it."""

    based_on = serializers.IntegerField(
        allow_null=True, help_text="The number of the version that was in force when it was begun."
    )
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_reason = serializers.CharField()
    effective_from = serializers.DateTimeField(allow_null=True)
    approvals = ApprovalsSerializer(allow_null=True, help_text="What it waits for in review; null in any other status.")
    next_steps = NextStepSerializer(many=True, help_text="The steps that you may take now.")
    comments = CommentSerializer(many=True, help_text="Oldest first.")


class DiffSideSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    content_sha256 = serializers.CharField()


class PolicyChangeSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(
        choices=choices_of(ChangeKind),
        help_text="Whether questions can reach more, can reach less, or something else changes.",
    )
    intent = serializers.CharField(
        allow_null=True, help_text="An intent's name; empty for the fallback, null if the change concerns all intents."
    )
    sentence = serializers.CharField()


class PolicyDiffSerializer(serializers.Serializer[Any]):
    same = serializers.BooleanField()
    before = DiffSideSerializer()
    after = DiffSideSerializer()
    changes = PolicyChangeSerializer(many=True, help_text="Changes that widen come first, then changes that narrow.")


class ConfusionSerializer(serializers.Serializer[Any]):
    expected = serializers.CharField(help_text="An intent's name; empty for unrecognised.")
    given = serializers.CharField(help_text="As expected.")
    examples = serializers.IntegerField()


class MisclassifiedSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    expected = serializers.CharField()
    given = serializers.CharField()
    reason = serializers.CharField()


class GoldenCheckSerializer(serializers.Serializer[Any]):
    examples = serializers.IntegerField()
    correct = serializers.IntegerField()
    accuracy = serializers.FloatField(help_text="The share of examples that get their intent when left out, 0 to 1.")
    minimum_accuracy = serializers.FloatField(help_text="The version's own bar.")
    passed = serializers.BooleanField()
    confusion = ConfusionSerializer(many=True)
    misclassified = MisclassifiedSerializer(many=True)


class VersionCheckSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    version_id = serializers.UUIDField()
    problems = serializers.ListField(
        child=serializers.CharField(),
        help_text="The problems that prevent its use, one sentence each; empty if there are none.",
    )
    golden = GoldenCheckSerializer(allow_null=True, help_text="null if problems must be fixed first.")


class _OneSourceSerializer(StrictSerializer):
    """What a draft is to say: at most one of `sources`, which a subclass names."""

    sources: tuple[str, ...] = ("content", "file")

    # Blank is the service's to refuse, with its own words.
    reason = serializers.CharField(allow_blank=True, max_length=LONGEST_REASON, help_text="Why, for the reviewer.")
    content = PolicyContentSerializer(required=False)
    file = TextField(
        required=False,
        max_length=LONGEST_FILE,
        help_text="The text of the file, as `GET versions/{id}/file/` returns it. Nothing in it is executed.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        named = [name for name in self.sources if name in attrs]
        if len(named) > 1:
            raise serializers.ValidationError({named[1]: [f"Send this or {named[0]}, not both."]})
        return attrs


class VersionStartSerializer(_OneSourceSerializer):
    sources = ("copy_of", "content", "file")

    copy_of = serializers.UUIDField(required=False, help_text="A version's id: bring it back as a new draft.")


class VersionChangeSerializer(_OneSourceSerializer):
    revision = revision_field("The revision of the draft that you read.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not set(attrs) & set(self.sources):
            raise serializers.ValidationError({"content": ["Send content, or the text of the file as file."]})
        return super().validate(attrs)


class RevisionSerializer(StrictSerializer):
    revision = revision_field(
        "The revision that you read. If the version has been changed or submitted again since, nothing is done."
    )


class DecisionSerializer(RevisionSerializer):
    reason = serializers.CharField(allow_blank=True, max_length=LONGEST_REASON)


class ApprovalSerializer(DecisionSerializer):
    effective_from = serializers.DateTimeField(
        required=False, allow_null=True, help_text="When it comes into force; at once by default."
    )
    reason = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_REASON)


class CommentTextSerializer(StrictSerializer):
    text = serializers.CharField(allow_blank=True, max_length=LONGEST_COMMENT)
    about_intent = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=40,
        help_text="The intent of the cell that it is about; `unrecognised` for unrecognised questions.",
    )
    about_kind = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=32, help_text="The kind of the cell that it is about."
    )
    answers = serializers.UUIDField(
        required=False,
        default=None,
        allow_null=True,
        help_text="The comment that it answers. It has no cell of its own.",
    )
    turn = serializers.ChoiceField(
        choices=Turn.choices,
        required=False,
        default="",
        allow_blank=True,
        help_text="Of an answer: resolve the comment, or open it again. The text may be empty then.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["answers"] is None and attrs["turn"]:
            raise serializers.ValidationError({"turn": "Only an answer turns a comment: name it in `answers`."})
        if attrs["answers"] is not None and (attrs["about_intent"] or attrs["about_kind"]):
            raise serializers.ValidationError(
                {"answers": "An answer is about the cell of the comment that it answers."}
            )
        return attrs
