"""Intents of a policy version, the kinds that they may reach, and the terms by which they are recognised."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models

from apps.corpus.kinds import KIND_KEY
from apps.intents.contracts import RecordingMode
from apps.intents.models.version import PolicyVersion
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, Texts, reasons

_MODES = (
    (RecordingMode.HASH_ONLY.value, "Keyed hash only: the question's text is never written"),
    (RecordingMode.ENCRYPTED_TEXT.value, "Encrypted text"),
)


class PolicyIntent(TenantModel):
    """One sort of question. The fallback is the one row that stands for everything unrecognised."""

    version = TenantForeignKey(PolicyVersion, on_delete=models.CASCADE, related_name="intents")
    name = models.CharField(
        max_length=40,
        validators=[RegexValidator(r"^[a-z][a-z0-9_]*$", "Lower-case letters, digits and _; begin with a letter.")],
        help_text="The short name in commands, the API and the audit log.",
    )
    label = models.CharField(max_length=80)
    description = models.TextField(help_text="Which questions belong here, in plain words.")
    # No CHECK on the mode: a value that this release does not know counts as the strictest.
    recording_mode = models.CharField(max_length=32, choices=_MODES, default=RecordingMode.HASH_ONLY.value)
    is_fallback = models.BooleanField(default=False, editable=False)
    position = models.PositiveSmallIntegerField()

    personal_data = PersonalData(
        Fields(
            "id tenant version name recording_mode is_fallback position",
            Sort.NONE,
            because="Ids, short names and settings.",
        ),
        Fields(
            "label description",
            Sort.FREE_TEXT,
            because=reasons.WORDS_OF_POLICY,
            cleared_by="intents.policies",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS} A draft's author can take an example out.",
            withheld=reasons.OF_THE_POLICY,
        ),
        texts=Texts("intents.intents", "Intents", "label description"),
    )

    class Meta:
        ordering = ("version", "position")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "version", "name"], name="policy_intent_name_once"),
            models.UniqueConstraint(
                fields=["tenant", "version"],
                condition=models.Q(is_fallback=True),
                name="policy_intent_one_fallback",
            ),
        )

    def __str__(self) -> str:
        return self.label


class PolicyIntentKind(TenantModel):
    """A tick in the matrix of intents and kinds."""

    intent = TenantForeignKey(PolicyIntent, on_delete=models.CASCADE, related_name="kinds")
    kind = models.CharField(max_length=32)

    personal_data = PersonalData(
        Fields("id tenant intent kind", Sort.NONE, because="Ids."),
    )

    class Meta:
        ordering = ("intent", "kind")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "intent", "kind"], name="policy_intent_kind_once"),
            models.CheckConstraint(condition=models.Q(kind__regex=KIND_KEY), name="policy_intent_kind_key"),
        )

    def __str__(self) -> str:
        return f"{self.intent}: {self.kind}"


class IntentTerm(TenantModel):
    """A word or phrase whose occurrence in a question supports an intent."""

    intent = TenantForeignKey(PolicyIntent, on_delete=models.CASCADE, related_name="terms")
    text = models.CharField(max_length=80, help_text="A word or phrase; # stands for any one digit.")
    decisive = models.BooleanField(default=False, help_text="Alone shows what is asked for, such as 'why'.")
    position = models.PositiveSmallIntegerField()

    personal_data = PersonalData(
        Fields("id tenant intent decisive position", Sort.NONE, because="Ids and settings."),
        Fields(
            "text",
            Sort.FREE_TEXT,
            because=reasons.WORDS_OF_POLICY,
            cleared_by="intents.policies",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS} A draft's author can take an example out.",
            withheld=reasons.OF_THE_POLICY,
        ),
        texts=Texts("intents.intent_terms", "Terms of intents", "text"),
    )

    class Meta:
        ordering = ("intent", "position")
        constraints = (models.UniqueConstraint(fields=["tenant", "intent", "text"], name="intent_term_once"),)

    def __str__(self) -> str:
        return self.text
