"""Pages, chunks and postings: the parts of a document, and its search index."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.corpus.extraction.contracts import HowPageRead, how_page_read
from apps.corpus.kinds import KIND_KEY
from apps.corpus.models.document import Document
from apps.tenants.models.base import ScopedModel, TenantForeignKey
from apps.tenants.personal_data import Fields, PersonalData, Phase, Sort, reasons
from apps.tenants.personal_data.stores import rows_of_document


class Page(ScopedModel):
    """One page's text, to which every quotation and character span refers."""

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="pages")
    number = models.PositiveIntegerField(help_text="Counted from 1.")
    text = models.TextField(blank=True)
    extracted = models.BooleanField(default=True, help_text="False for a page without a text layer.")
    # Null unless the text was recognised in a picture of the page.
    ocr_confidence = models.FloatField(null=True, editable=False)
    # Each word that was recognised, with its place (RecognisedWord): the file has no text whose place could be asked.
    ocr_words = models.JSONField(null=True, editable=False)

    personal_data = PersonalData(
        Fields("id tenant scope document number extracted ocr_confidence", Sort.NONE, because="Ids and places."),
        Fields(
            "text", Sort.CONTENT, because="The text of a page.", cleared_by="corpus.pages", withheld=reasons.CONTENT
        ),
        Fields(
            "ocr_words",
            Sort.CONTENT,
            because="The words of a page.",
            cleared_by="corpus.pages",
            withheld=reasons.CONTENT,
            unsearched="They are the words of the page's text, which is searched.",
        ),
        stores=(rows_of_document("corpus.pages", "Pages", Phase.PASSAGES),),
    )

    class Meta:
        ordering = ("document", "number")
        constraints = (models.UniqueConstraint(fields=["tenant", "scope", "document", "number"], name="page_once"),)

    def __str__(self) -> str:
        return f"page {self.number}"

    @property
    def how_read(self) -> HowPageRead:
        return how_page_read(extracted=self.extracted, is_recognised=self.ocr_confidence is not None)

    @property
    def ocr_percent(self) -> int:
        """Return the confidence as people read it, rounded down: only certainty is 100 %."""
        return int(100 * (self.ocr_confidence or 0.0))


class Chunk(ScopedModel):
    """A passage: a child (searched and cited) or a parent (its wider context).

    For a child, text == page.text[char_start:char_end]; a child never crosses a page. number is the position in the
    document, from 1; children and parents are numbered separately.
    """

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    kind = models.CharField(max_length=32)
    number = models.PositiveIntegerField()
    is_parent = models.BooleanField(default=False)
    parent = TenantForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="children")
    text = models.TextField()
    context_header = models.CharField(max_length=500, blank=True)
    page_start = models.PositiveIntegerField()
    page_end = models.PositiveIntegerField()
    char_start = models.PositiveIntegerField()
    char_end = models.PositiveIntegerField()
    sec_item = models.CharField(max_length=16, blank=True)
    section = models.CharField(max_length=300, blank=True)
    token_count = models.PositiveIntegerField()
    content_sha256 = models.CharField(max_length=64)

    personal_data = PersonalData(
        Fields(
            "id tenant scope document kind number is_parent parent page_start page_end char_start char_end "
            "sec_item token_count",
            Sort.NONE,
            because="Ids, places and counts.",
        ),
        Fields(
            "text",
            Sort.CONTENT,
            because="The text of a passage and the headings above it.",
            unsearched="It is the text of pages, which are searched.",
        ),
        Fields("context_header section", Sort.CONTENT, because="The text of a passage and the headings above it."),
        Fields("content_sha256", Sort.DERIVED, because="Digest of the text."),
        cleared_by="corpus.chunks",
        withheld=reasons.CONTENT,
        stores=(
            # Within a document, children come before the parents that they refer to, because each part may be a
            # separate transaction. The order is that of an index (chunk_number_once): with another order, each part
            # would read all remaining passages of the tenant.
            rows_of_document(
                "corpus.chunks",
                "Passages",
                Phase.PASSAGES,
                order="t.scope_id, t.document_id, t.is_parent",
                reads="parent_id",
            ),
        ),
    )

    class Meta:
        ordering = ("document", "is_parent", "number")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "scope", "document", "is_parent", "number"], name="chunk_number_once"
            ),
            models.CheckConstraint(
                condition=models.Q(page_end__gte=models.F("page_start")), name="chunk_pages_in_order"
            ),
            models.CheckConstraint(condition=models.Q(kind__regex=KIND_KEY), name="chunk_kind_key"),
        )

    def __str__(self) -> str:
        return f"chunk {self.number}, page {self.page_start}"


class Posting(ScopedModel):
    """The chunks of one document that contain a term, packed into one row.

    The document is the unit because erasure and filters apply to whole documents.

    The three arrays have equal length: chunk numbers, how often the term occurs in each, and each chunk's length in
    terms. The lengths (in terms, header included) are stored here and not with the chunk. So scoring needs no second
    table, and the terms of a document under a legal hold can be counted again although its chunks must not change.
    """

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="postings")
    kind = models.CharField(max_length=32)
    # The C collation compares bytes. It takes half the time of a linguistic one, and is the same on every machine.
    term = models.CharField(max_length=64, db_collation="C")
    chunk_numbers = ArrayField(models.IntegerField())
    term_frequencies = ArrayField(models.IntegerField())
    chunk_term_counts = ArrayField(models.IntegerField())

    personal_data = PersonalData(
        Fields("id tenant scope document kind", Sort.NONE, because="Ids."),
        Fields(
            "term chunk_numbers term_frequencies chunk_term_counts",
            Sort.DERIVED,
            because="Which words, names among them, stand in which passages.",
            cleared_by="corpus.postings",
            withheld=reasons.CONTENT,
        ),
        stores=(rows_of_document("corpus.postings", "Search terms", Phase.SEARCH),),
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "document", "term"], name="posting_once"),
            models.CheckConstraint(condition=models.Q(kind__regex=KIND_KEY), name="posting_kind_key"),
        )
        indexes = (models.Index(fields=["tenant", "scope", "term", "kind"], name="posting_by_term"),)

    def __str__(self) -> str:
        return self.term
