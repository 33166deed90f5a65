"""What a model declares of the personal data in its rows, as its attribute `personal_data`.

It stands in the lowest room, because its own models declare too. It names stores and categories of higher rooms by
their keys; apps/erasure and apps/privacy derive from the declarations what they need (docs/extend/table.md).
"""

from apps.tenants.personal_data.declaration import Fields, PersonalData, Sort, Texts, declarations
from apps.tenants.personal_data.stores import Phase, RowStore, TargetType, TenantStore

__all__ = [
    "Fields",
    "PersonalData",
    "Phase",
    "RowStore",
    "Sort",
    "TargetType",
    "TenantStore",
    "Texts",
    "declarations",
]
