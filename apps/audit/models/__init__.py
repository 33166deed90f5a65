from apps.audit.models.checkpoint import Checkpoint
from apps.audit.models.data_key import DataKey
from apps.audit.models.event import Event, Outcome
from apps.audit.models.leaf import Leaf, Subtree, Unsealed
from apps.audit.models.payload import Payload
from apps.audit.models.tombstone import TombstoneMark

__all__ = ["Checkpoint", "DataKey", "Event", "Leaf", "Outcome", "Payload", "Subtree", "TombstoneMark", "Unsealed"]
