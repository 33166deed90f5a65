"""The rules of a policy version's compliance profile."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.intents.models.version import PolicyVersion
from apps.intents.profile.contracts import (
    LONGEST_KEY,
    LONGEST_NAME,
    LONGEST_TERM,
    LONGEST_TEXT,
    MOST_TERMS,
    RULE_KEY,
    InAnswer,
    InQuestion,
    RuleSort,
)
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, Texts, reasons

_ALLOWS = models.Q(in_question=InQuestion.ALLOW.value, in_answer=InAnswer.ALLOW.value)
_DISCLAIMS = models.Q(sort=RuleSort.DISCLAIMER.value) & _ALLOWS & models.Q(terms=[]) & ~models.Q(text="")
_WATCHES = models.Q(sort__in=["product", "topic"]) & ~_ALLOWS & ~models.Q(terms=[]) & models.Q(intents=[])
_BOUNDS = (
    models.Q(sort__in=["asset_classes", "clients", "instruments", "jurisdictions", "risk_classes"])
    & ~_ALLOWS
    & ~models.Q(terms=[])
)
_BOUNDS_MEANS = models.Q(sort__in=["models", "regions", "research_modes", "sources"]) & _ALLOWS & ~models.Q(terms=[])


class PolicyProfileRule(TenantModel):
    """A topic that is refused, a product that may not be marketed, a text that answers must carry, or a bound.

    The table refuses a rule that does nothing, and a disclaimer that looks for words.
    """

    version = TenantForeignKey(PolicyVersion, on_delete=models.CASCADE, related_name="profile_rules")
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=LONGEST_KEY, help_text="How the log, the API and the file name it.")
    sort = models.CharField(max_length=16, help_text="What it is about; RuleSort has them all.")
    name = models.CharField(max_length=LONGEST_NAME, help_text="What the firm calls it.")
    terms = ArrayField(
        models.CharField(max_length=LONGEST_TERM), default=list, help_text="Words and phrases, or the permitted values."
    )
    intents = ArrayField(
        models.CharField(max_length=40), default=list, help_text="Short names; empty for every intent."
    )
    text = models.CharField(max_length=LONGEST_TEXT, help_text="The reason for the user, or the disclaimer.")
    in_question = models.CharField(max_length=8, help_text="refuse or allow.")
    in_answer = models.CharField(max_length=8, help_text="block, flag or allow.")

    personal_data = PersonalData(
        Fields(
            "id tenant version position key sort intents in_question in_answer",
            Sort.NONE,
            because="Ids, codes and short names.",
        ),
        Fields(
            "name text",
            Sort.FREE_TEXT,
            because=reasons.WORDS_OF_POLICY,
            cleared_by="intents.policies",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS} A draft's author can take a rule out.",
            withheld=reasons.OF_THE_POLICY,
        ),
        Fields(
            "terms",
            Sort.FREE_TEXT,
            because=reasons.WORDS_OF_POLICY,
            cleared_by="intents.policies",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS} A draft's author can take a term out.",
            withheld=reasons.OF_THE_POLICY,
            unsearched="Words that questions and answers are searched for; the rule's name and text are searched.",
        ),
        texts=Texts("intents.profile_rules", "Rules of compliance profiles", "name text"),
    )

    class Meta:
        ordering = ("version", "position")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "version", "key"], name="profile_rule_key_once"),
            models.CheckConstraint(condition=models.Q(key__regex=RULE_KEY), name="profile_rule_key"),
            models.CheckConstraint(
                condition=models.Q(sort__in=[each.value for each in RuleSort]), name="profile_rule_known_sort"
            ),
            models.CheckConstraint(
                condition=models.Q(in_question__in=[each.value for each in InQuestion])
                & models.Q(in_answer__in=[each.value for each in InAnswer]),
                name="profile_rule_known_effect",
            ),
            models.CheckConstraint(
                condition=_DISCLAIMS | _WATCHES | _BOUNDS | _BOUNDS_MEANS,
                name="profile_rule_does_what_it_is",
            ),
            models.CheckConstraint(condition=models.Q(terms__len__lte=MOST_TERMS), name="profile_rule_most_terms"),
        )

    def __str__(self) -> str:
        return self.name
