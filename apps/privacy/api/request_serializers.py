"""Requests for erasure, as a client sees them. Answers to writes hold no personal data: they are kept for a day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from rest_framework import serializers

from apps.erasure.runs.closing import came_since
from apps.erasure.runs.runs import RejectionReason
from apps.privacy.codes.life import ANSWERED, RequestState
from apps.privacy.codes.requests import (
    Delivery,
    Extension,
    Ground,
    Language,
    LetterKind,
    LetterState,
    Purpose,
    Refusal,
    Requester,
    SubjectType,
)
from apps.privacy.models import ErasureRequest, Letter
from apps.privacy.requests.deadlines import days_left, deadline
from apps.privacy.requests.details import Details, LetterText, details_of, letter_text
from apps.privacy.requests.selectors import legal_today, proposal_of, run_of_request
from apps.privacy.requests.services.stepping import steps_of
from apps.tenants.api.next_steps import NextStepsField, Operation
from apps.tenants.api.serializers import StrictSerializer, revision_field

_REVISION: Final = ("revision",)
_PROPOSAL: Final = ("revision", "run_id")
OPERATIONS: Final[Mapping[str, Operation]] = {
    "confirm": Operation("confirm-identity/", _REVISION),
    "ask_identity": Operation("ask-identity/", ("revision", "words")),
    "assess": Operation("assess/", ("revision", "ground")),
    "prepare": Operation("package/", _REVISION),
    "reopen": Operation("package/take-back/", _REVISION),
    "propose": Operation("propose/", _REVISION),
    "answer": Operation("answer/", _REVISION),
    "approve": Operation("approve/", _PROPOSAL),
    "send_back": Operation("send-back/", (*_PROPOSAL, "reason")),
    "take_back": Operation("take-back/", _PROPOSAL),
    "refuse": Operation("refuse/", ("revision", "code", "words")),
    "withdraw": Operation("withdraw/", ("revision", "words")),
}


def _lines(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=200), max_length=50, required=False, default=list, help_text=help_text
    )


def _words(*, required: bool = False, help_text: str = "") -> serializers.CharField:
    more: dict[str, Any] = {} if required else {"required": False, "default": "", "allow_blank": True}
    return serializers.CharField(max_length=4000, help_text=help_text, **more)


class DetailsSerializer(StrictSerializer):
    """What is sealed: the names of its fields are those of Details."""

    names = _lines("As they may appear in documents.")
    aliases = _lines("Maiden names, pseudonyms, initials, user names.")
    emails = _lines("E-mail addresses of the person.")
    phones = _lines("Phone numbers of the person.")
    identifiers = _lines("Account, client, tax and passport numbers, IBAN.")
    description = _words(help_text="What else distinguishes the person from others.")
    requester_name = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    requester_email = serializers.EmailField(
        required=False,
        default="",
        allow_blank=True,
        help_text="The address for letters; without one they are posted by hand.",
    )
    requester_address = _words(help_text="A postal address.")
    notes = _words(help_text="For the people who work on the request.")

    def facts(self) -> Details:
        said: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in self.validated_data.items()
        }
        return Details(**said)


class ErasureRequestSerializer(serializers.Serializer[ErasureRequest]):
    """Without a word of a person."""

    id = serializers.UUIDField()
    reference = serializers.CharField(help_text="The number in letters, such as ER-2026-0007; AR- for access.")
    purpose = serializers.ChoiceField(choices=Purpose.choices)
    state = serializers.ChoiceField(
        choices=RequestState.choices,
        help_text=(
            "For an access request, inventory_ready means that its package is made, and completed that it is answered."
        ),
    )
    subject_type = serializers.ChoiceField(choices=SubjectType.choices)
    subject_id = serializers.UUIDField(allow_null=True, help_text="null for a person who is named in documents.")
    requester = serializers.ChoiceField(choices=Requester.choices)
    language = serializers.ChoiceField(choices=Language.choices)
    received_at = serializers.DateTimeField()
    received_on = serializers.DateField(
        help_text="The day of receipt in the firm's time zone; the months count from it."
    )
    ends_on = serializers.SerializerMethodField(
        help_text="The last day of the month, or of the three months if extended."
    )
    due_on = serializers.DateField(help_text="The same day, or the Monday after it if it falls on a weekend.")
    days_left = serializers.SerializerMethodField(help_text="Negative if overdue; null once answered.")
    ground = serializers.ChoiceField(choices=Ground.choices, allow_null=True)
    extension = serializers.ChoiceField(choices=Extension.choices, allow_null=True)
    extended_at = serializers.DateTimeField(allow_null=True)
    refusal = serializers.ChoiceField(choices=Refusal.choices, allow_null=True)
    identity_asked_at = serializers.DateTimeField(allow_null=True)
    identity_confirmed_at = serializers.DateTimeField(allow_null=True)
    run_id = serializers.UUIDField(allow_null=True, help_text="The removal run with which it was proposed.")
    proposed_by_id = serializers.UUIDField(allow_null=True)
    proposed_at = serializers.DateTimeField(allow_null=True)
    approved_by_id = serializers.UUIDField(allow_null=True)
    approved_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    revision = serializers.IntegerField(help_text="Counts the changes. Send the revision that you read with each step.")
    run_revision = serializers.SerializerMethodField(
        help_text="The revision of its removal run, for the steps about the physical proof; null while it has no run."
    )
    next_steps = NextStepsField(
        offers=steps_of,
        operations=lambda step: OPERATIONS.get(step.name),
        address="/api/v1/privacy/requests/{id}/",
    )

    def to_representation(self, instance: ErasureRequest) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        return {**shown, **{name: shown[name] or None for name in ("ground", "extension", "refusal")}}

    def get_run_revision(self, request: ErasureRequest) -> int | None:
        run = run_of_request(request)
        return None if run is None else run.revision

    def get_ends_on(self, request: ErasureRequest) -> str:
        return deadline(request.received_on, extended=request.extended_at is not None).ends_on.isoformat()

    def get_days_left(self, request: ErasureRequest) -> int | None:
        return None if request.state in ANSWERED else days_left(request.due_on, legal_today())


class LetterSerializer(serializers.Serializer[Letter]):
    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=LetterKind.choices)
    delivery = serializers.ChoiceField(choices=Delivery.choices)
    state = serializers.ChoiceField(choices=LetterState.choices)
    created_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(allow_null=True)
    problem = serializers.CharField(allow_blank=True, help_text="A code that says why it has not been sent yet.")


class LetterTextSerializer(StrictSerializer):
    subject = serializers.CharField(max_length=200)
    body = serializers.CharField(max_length=20_000, trim_whitespace=False)


class FullLetterSerializer(LetterSerializer):
    text = serializers.SerializerMethodField(help_text="null if you may not read it, or once its key is destroyed.")

    def get_text(self, letter: Letter) -> dict[str, str] | None:
        found = letter_text(letter) if self.context["reads"] else None
        return None if found is None else asdict(found)


class ErasureRequestDetailSerializer(ErasureRequestSerializer):
    details = serializers.SerializerMethodField(
        help_text=(
            "Whom it is about and who asks. Only for people who manage or approve privacy; null once the key is "
            "destroyed."
        )
    )
    letters = serializers.SerializerMethodField()
    came_since = serializers.SerializerMethodField(
        help_text="For a scope or tenant that waits for approval: how many items were added since the proposal, by "
        "type. They are removed too once it is approved."
    )

    without_proof = serializers.SerializerMethodField(
        help_text="If somebody asked to end the erasure without physical proof: why (a code), and whether another "
        "person agreed. Otherwise null."
    )

    def get_without_proof(self, request: ErasureRequest) -> dict[str, Any] | None:
        run = run_of_request(request)
        if run is None or not run.unproven_code:
            return None
        return {"reason": run.unproven_code, "agreed": run.is_unproven}

    def get_came_since(self, request: ErasureRequest) -> dict[str, int]:
        run = proposal_of(request)
        return {} if run is None else dict(sorted(Counter(target.type.value for target in came_since(run)).items()))

    def get_details(self, request: ErasureRequest) -> dict[str, Any] | None:
        found = details_of(request) if self.context["reads"] else None
        return None if found is None else asdict(found)

    def get_letters(self, request: ErasureRequest) -> list[dict[str, Any]]:
        letters = request.letters.select_related("request")
        return [dict(FullLetterSerializer(letter, context=self.context).data) for letter in letters]


class ReceiveSerializer(StrictSerializer):
    purpose = serializers.ChoiceField(
        choices=Purpose.choices,
        default=Purpose.ERASURE,
        help_text="An access request is about a person who is named in documents: subject_type data_subject.",
    )
    subject_type = serializers.ChoiceField(choices=SubjectType.choices)
    subject_id = serializers.UUIDField(
        required=False,
        help_text="The id of a user, a document or a scope. Not for a person in documents or the tenant.",
    )
    requester = serializers.ChoiceField(choices=Requester.choices)
    language = serializers.ChoiceField(choices=Language.choices, default=Language.ENGLISH)
    received_at = serializers.DateTimeField(required=False, help_text="When it reached the firm; now by default.")
    details = DetailsSerializer(required=False)


class RevisedSerializer(StrictSerializer):
    """A step of what was read, and of nothing that came since."""

    revision = revision_field("The revision of the request that you read.")


class ProposedSerializer(RevisedSerializer):
    """A step of the proposal that was read."""

    run_id = serializers.UUIDField(help_text="The run of the proposal that you read: only this proposal is decided on.")


class OfRunSerializer(StrictSerializer):
    run_id = serializers.UUIDField(help_text="The `run_id` of the request that you read.")
    revision = revision_field("The `run_revision` of the request that you read.")


class LetteredSerializer(StrictSerializer):
    """A step that whoever asked is told of."""

    letter = LetterTextSerializer(required=False, help_text="By default the template is filled in.")
    delivery = serializers.ChoiceField(
        choices=Delivery.choices, required=False, help_text="By default e-mail, if there is an address."
    )

    def told(self) -> dict[str, Any]:
        said = self.validated_data
        text = LetterText(**said["letter"]) if "letter" in said else None
        return {"letter": text, "delivery": Delivery(said["delivery"]) if "delivery" in said else None}


class AskIdentitySerializer(LetteredSerializer, RevisedSerializer):
    words = _words(required=True, help_text="What you ask for, and why you doubt it. It appears in the letter.")


class ExtendSerializer(LetteredSerializer, RevisedSerializer):
    code = serializers.ChoiceField(choices=Extension.choices)
    words = _words(required=True, help_text="The reasons. They appear in the letter.")


class RefuseSerializer(LetteredSerializer, RevisedSerializer):
    code = serializers.ChoiceField(choices=Refusal.choices)
    words = _words(required=True, help_text="The reasons. They appear in the letter.")


class AssessSerializer(RevisedSerializer):
    ground = serializers.ChoiceField(choices=Ground.choices)
    notes = _words(help_text="What you considered. Sealed with the request.")


class WithdrawSerializer(RevisedSerializer):
    words = _words(required=True, help_text="Why. Sealed with the request.")


class SendBackSerializer(ProposedSerializer):
    reason = serializers.ChoiceField(choices=[(each.value, each.name) for each in RejectionReason])


class WriteLetterSerializer(LetteredSerializer):
    kind = serializers.ChoiceField(
        choices=[(each.value, each.label) for each in (LetterKind.RECEIVED, LetterKind.DONE)]
    )
