"""Golden examples, and their vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.intents.models.intent import PolicyIntent
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, Texts, reasons


class GoldenExample(TenantModel):
    """A question with the intent that it must get. Examples of the fallback are counter-examples."""

    intent = TenantForeignKey(PolicyIntent, on_delete=models.CASCADE, related_name="examples")
    text = models.CharField(max_length=500)
    position = models.PositiveSmallIntegerField()

    personal_data = PersonalData(
        Fields("id tenant intent position", Sort.NONE, because="Ids."),
        Fields(
            "text",
            Sort.FREE_TEXT,
            because=reasons.WORDS_OF_POLICY,
            cleared_by="intents.policies",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS} A draft's author can take an example out.",
            withheld=reasons.OF_THE_POLICY,
        ),
        texts=Texts("intents.golden_examples", "Review examples", "text"),
    )

    class Meta:
        ordering = ("intent", "position")
        constraints = (models.UniqueConstraint(fields=["tenant", "intent", "text"], name="golden_example_once"),)

    def __str__(self) -> str:
        return self.text


if TYPE_CHECKING:
    _FloatField = models.FloatField[float, float]
else:
    _FloatField = models.FloatField


class SinglePrecisionField(_FloatField):
    """PostgreSQL's type real, because a number in an embedding has only four bytes of precision."""

    def db_type(self, connection: Any) -> str:
        return "real"


class GoldenVector(TenantModel):
    """An example's embedding by one model: written once, when a question first needs it."""

    example = TenantForeignKey(GoldenExample, on_delete=models.CASCADE, related_name="vectors")
    model = models.CharField(max_length=200)
    vector = ArrayField(SinglePrecisionField())
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields("id tenant example model created_at", Sort.NONE, because="Ids and times."),
        Fields(
            "vector",
            Sort.DERIVED,
            because="An example's meaning.",
            cleared_by="intents.policies",
            stays=f"With its example. {reasons.RULES_OF_ANSWERS}",
            withheld=reasons.OF_THE_POLICY,
        ),
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tenant", "example", "model"], name="golden_vector_once"),)

    def __str__(self) -> str:
        return f"{self.example} by {self.model}"
