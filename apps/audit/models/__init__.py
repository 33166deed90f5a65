from apps.audit.models.event import Event, Outcome

__all__ = ["Event", "Outcome"]
