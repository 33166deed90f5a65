from apps.privacy.models.access import AccessPackage
from apps.privacy.models.erasure_request import ErasureRequest, Letter
from apps.privacy.models.inventory import Inventory, InventoryHit, InventoryTreatment

__all__ = [
    "AccessPackage",
    "ErasureRequest",
    "Inventory",
    "InventoryHit",
    "InventoryTreatment",
    "Letter",
]
