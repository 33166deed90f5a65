"""The invariants of a policy version, and the proof of what its submission would change."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.intents.invariants import LONGEST_NAME, InvariantMode
from apps.intents.models.version import PolicyVersion
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, Texts, reasons

_MODES = (
    (InvariantMode.NEVER.value, "These questions never reach these kinds"),
    (InvariantMode.ONLY.value, "Only these questions reach these kinds"),
)


class PolicyInvariant(TenantModel):
    """What no version may let through as long as it has this invariant; no version that breaks one is submitted."""

    version = TenantForeignKey(PolicyVersion, on_delete=models.CASCADE, related_name="invariants")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=LONGEST_NAME, help_text="What the firm calls it, in its own words.")
    mode = models.CharField(max_length=8, choices=_MODES)
    roles = ArrayField(models.CharField(max_length=32), help_text="Empty: every role.")
    intents = ArrayField(models.CharField(max_length=40), help_text="Short names; empty: every intent.")
    kinds = ArrayField(models.CharField(max_length=32))

    personal_data = PersonalData(
        Fields("id tenant version position mode roles intents kinds", Sort.NONE, because="Ids, codes and names."),
        Fields(
            "name",
            Sort.FREE_TEXT,
            because=reasons.WORDS_OF_POLICY,
            cleared_by="intents.policies",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS} A draft's author can take an invariant out.",
            withheld=reasons.OF_THE_POLICY,
        ),
        texts=Texts("intents.invariants", "Invariants of policies", "name"),
    )

    class Meta:
        ordering = ("version", "position")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "version", "name"], name="policy_invariant_name_once"),
            models.CheckConstraint(
                condition=models.Q(mode__in=[mode.value for mode in InvariantMode]), name="policy_invariant_known_mode"
            ),
        )

    def __str__(self) -> str:
        return self.name


class PolicyProof(TenantModel):
    """What a submission would let through and forbid, as it was proven then. Its rows never change.

    text: canonical JSON (apps/intents/proof/rendering.py), kept as text because its bytes are what the digest is of.
    """

    version = TenantForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="proofs")
    revision = models.PositiveIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields("id tenant version revision sha256 created_at", Sort.NONE, because="Ids, figures and times."),
        Fields(
            "text",
            Sort.FREE_TEXT,
            because=f"{reasons.WORDS_OF_POLICY} It names roles and scopes, and nobody who holds them.",
            cleared_by="intents.policies",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS}",
            withheld=reasons.OF_THE_POLICY,
        ),
        texts=Texts("intents.policy_proofs", "Proofs of policy versions", "text"),
    )

    class Meta:
        ordering = ("version", "revision")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "version", "revision"], name="policy_proof_once_a_submission"),
        )

    def __str__(self) -> str:
        return f"Proof of {self.version}, revision {self.revision}"
