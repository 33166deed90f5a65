"""The access package that answers a request for access: made from an inventory, sealed, and deleted when it expires."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from apps.privacy.models.erasure_request import ErasureRequest
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons


class AccessPackage(TenantModel):
    """The package of one request for access, until it is taken back, erased or expires (access_packages.sql).

    ciphertext: the ZIP, sealed under a separate data key (its DataKey.subject_id is the package's id), which is
        destroyed with the package.
    scope_ids: the scopes of the places that the package quotes; a user who downloads it must hold all of them.
    places: how many places it names; quoted: how many of these it quotes; hidden: how many quotes have hidden words.
    """

    request = TenantForeignKey(ErasureRequest, on_delete=models.PROTECT, related_name="packages")
    scope_ids = ArrayField(models.UUIDField(), default=list)
    data_key_id = models.UUIDField()
    ciphertext = models.BinaryField()
    byte_size = models.PositiveIntegerField()
    places = models.PositiveIntegerField()
    quoted = models.PositiveIntegerField()
    hidden = models.PositiveIntegerField()
    made_by_id = models.UUIDField()
    made_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()

    personal_data = PersonalData(
        Fields(
            "id tenant request scope_ids data_key_id byte_size places quoted hidden made_at expires_at",
            Sort.NONE,
            because="Ids, codes, counts and times.",
            cleared_by="audit.access_packages",
        ),
        Fields(
            "ciphertext",
            Sort.SEALED,
            because="What is held of a person who asked for access, under a key of its own.",
            unsearched=(
                "A package for somebody who asked for access: it is sealed, and removed after thirty days or with "
                "what it quotes."
            ),
            withheld=(
                "Packages for people who are named in documents and asked for one: they get theirs from the data "
                "protection officer."
            ),
        ),
        Fields("made_by_id", Sort.IDENTIFIER, because="The account of whoever did it.", withheld=reasons.OWN_ACT),
        cleared_by="audit.access_packages",
    )

    class Meta:
        app_label = "audit"
        ordering = ("-made_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "request"], name="access_package_once"),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("made_at"), hidden__lte=F("quoted"), quoted__lte=F("places")),
                name="access_package_ends",
            ),
        )

    def __str__(self) -> str:
        return f"package of {self.request_id}"
