from apps.audit.models.data_key import DataKey
from apps.audit.models.event import Event, Outcome
from apps.audit.models.payload import Payload

__all__ = ["DataKey", "Event", "Outcome", "Payload"]
