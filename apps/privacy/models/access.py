"""What a person gets who asks what is held of them: made from an inventory, sealed, and gone after a while."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from apps.privacy.models.erasure_request import ErasureRequest
from apps.tenants.models.base import TenantForeignKey, TenantModel


class AccessPackage(TenantModel):
    """The package of one request for access, until it is taken back, erased or expires (access_packages.sql).

    ciphertext: the ZIP, sealed under a data key of its own (DataKey.subject_id is its id), which goes with it.
    scope_ids: where the places lie that it quotes; whoever takes it out must hold them all.
    places: how many it names; quoted: of how many it quotes the words; hidden: in how many of those words are hidden.
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
