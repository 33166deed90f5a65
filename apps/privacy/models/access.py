"""The access package that answers a request for access: made from an inventory, sealed, and deleted when it expires."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from apps.privacy.models.erasure_request import ErasureRequest
from apps.tenants.models.base import TenantForeignKey, TenantModel


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
