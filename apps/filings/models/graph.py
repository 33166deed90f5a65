"""Entities that documents name, and what their sentences say of them, each with its place on a page."""

from __future__ import annotations

from django.db import models

from apps.corpus.models import Document
from apps.filings.graph.contracts import LONGEST_KEY, LONGEST_NAME, EntityType, RelationType
from apps.tenants.models.base import ScopedModel, TenantForeignKey
from apps.tenants.personal_data import Fields, PersonalData, Phase, Sort, reasons
from apps.tenants.personal_data.stores import rows_of_document

_OF_PAGES = (
    "It is the text of pages, which are searched; it goes with the document, and is made anew when that is redacted."
)


class EntityMention(ScopedModel):
    """An entity that a page of a document version names.

    There is no row of an entity itself, which scopes would share: those with one key are one entity to whoever may see
    them. A row is of a page: the place is that of the first mention, `times` says how many there are.
    """

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="entity_mentions")
    kind = models.CharField(max_length=32)
    entity_type = models.CharField(max_length=16, choices=EntityType.choices)
    # The C collation compares bytes, so that the names with one beginning lie side by side in the index.
    key = models.CharField(max_length=LONGEST_KEY, db_collation="C")
    name = models.CharField(max_length=LONGEST_NAME)
    page = models.PositiveIntegerField()
    char_start = models.PositiveIntegerField()
    char_end = models.PositiveIntegerField()
    times = models.PositiveIntegerField()

    personal_data = PersonalData(
        Fields(
            "id tenant scope document kind entity_type page char_start char_end times",
            Sort.NONE,
            because="Ids, places and counts.",
        ),
        Fields(
            "key name",
            Sort.CONTENT,
            because="Names of people, organisations and things, as the page of a document prints them.",
            unsearched=_OF_PAGES,
        ),
        cleared_by="filings.mentions",
        withheld=reasons.CONTENT,
        stores=(rows_of_document("filings.mentions", "Mentions of people and things", Phase.DERIVED),),
    )

    class Meta:
        ordering = ("document", "page", "char_start", "id")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "document", "page", "key"], name="mention_once_a_page"),
            models.CheckConstraint(condition=models.Q(char_start__lt=models.F("char_end")), name="mention_has_a_place"),
        )
        indexes = (models.Index(fields=["tenant", "scope", "key", "document"], name="mention_by_key"),)

    def __str__(self) -> str:
        return f"{self.name}, page {self.page}"


class Relation(ScopedModel):
    """What one sentence of a document version says of two entities, or that it refers to a part of the document.

    The sentence is not repeated here: it is the page's text from char_start to char_end. The key of a document is that
    of its own row; a reference has it on both ends, and names the part in object_name.
    """

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="relations")
    kind = models.CharField(max_length=32)
    number = models.PositiveIntegerField(help_text="The position in the document, from 1.")
    relation = models.CharField(max_length=16, choices=RelationType.choices)
    subject_type = models.CharField(max_length=16, choices=EntityType.choices)
    subject_key = models.CharField(max_length=LONGEST_KEY, db_collation="C")
    subject_name = models.CharField(max_length=200, blank=True)
    object_type = models.CharField(max_length=16, choices=EntityType.choices)
    object_key = models.CharField(max_length=LONGEST_KEY, db_collation="C")
    object_name = models.CharField(max_length=200, blank=True)
    page = models.PositiveIntegerField()
    char_start = models.PositiveIntegerField()
    char_end = models.PositiveIntegerField()
    target_page = models.PositiveIntegerField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant scope document kind number relation subject_type object_type page char_start char_end "
            "target_page",
            Sort.NONE,
            because="Ids, places and types.",
        ),
        Fields(
            "subject_key subject_name object_key object_name",
            Sort.CONTENT,
            because="Names of people, organisations and things, as a sentence of a document prints them.",
            unsearched=_OF_PAGES,
        ),
        cleared_by="filings.relations",
        withheld=reasons.CONTENT,
        stores=(rows_of_document("filings.relations", "Relations of people and things", Phase.DERIVED),),
    )

    class Meta:
        ordering = ("document", "number")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "document", "number"], name="relation_number_once"),
            models.CheckConstraint(
                condition=models.Q(char_start__lt=models.F("char_end")), name="relation_has_a_place"
            ),
        )
        indexes = (
            models.Index(fields=["tenant", "scope", "subject_key"], name="relation_by_subject"),
            models.Index(fields=["tenant", "scope", "object_key"], name="relation_by_object"),
        )

    def __str__(self) -> str:
        return f"{self.subject_name} {self.get_relation_display()} {self.object_name}"
