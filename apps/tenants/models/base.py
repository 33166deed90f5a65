"""The base of every tenant table: an id that the database makes, and the tenant (and scope) it belongs to."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db import models
from django.utils.deconstruct import deconstructible

from apps.tenants.context import open_tenant_id

ModelT = TypeVar("ModelT", bound=models.Model)


@deconstructible(path="apps.tenants.models.base.UuidV7")
class UuidV7(models.Func):
    """PostgreSQL 18's uuidv7(): time-ordered, so that inserts stay at the right edge of the index."""

    function = "uuidv7"
    arity = 0
    output_field = models.UUIDField()


class TenantForeignKey(models.ForeignKey[Any, Any]):
    """A foreign key to a tenant table.

    The constraint is composite, (tenant_id, x_id) -> (tenant_id, id). EnableIsolation makes the constraint and its
    index. A single-column foreign key would not do: its check bypasses row-level security and would accept a parent
    row that the writer may not see.
    """

    def __init__(self, to: Any, on_delete: Any, **kwargs: Any) -> None:
        kwargs["db_constraint"] = False
        kwargs.setdefault("db_index", False)
        super().__init__(to, on_delete, **kwargs)


class TenantManager(models.Manager[ModelT]):
    """A manager that filters every query by the open scope's tenant, as a literal.

    The row-level security policy in the database is what separates tenants. The literal lets the planner prune
    partitions and use partial indexes, which the policy's sub-select alone does not. Without an open scope the
    database itself refuses the query.
    """

    def get_queryset(self) -> models.QuerySet[ModelT]:
        queryset = super().get_queryset()
        tenant_id = open_tenant_id()
        return queryset if tenant_id is None else queryset.filter(tenant_id=tenant_id)


class TenantModel(models.Model):
    """A row of one tenant, visible in all of the tenant's scopes."""

    id = models.UUIDField(primary_key=True, db_default=UuidV7(), editable=False)
    tenant = models.ForeignKey("tenants.Tenant", on_delete=models.PROTECT, db_index=False, related_name="+")

    objects: TenantManager[Any] = TenantManager()

    class Meta:
        abstract = True


class ScopedModel(TenantModel):
    """A row of one scope of a tenant."""

    scope = TenantForeignKey("tenants.Scope", on_delete=models.PROTECT, related_name="+")

    class Meta:
        abstract = True
