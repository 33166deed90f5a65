"""Answer the auditor's question who could reach what at which time, from facts that are stored with their validity."""

from apps.intents.access.ask import access_ask
from apps.intents.access.contracts import AccessAnswer, Verdict
from apps.intents.access.rendering import access_json

__all__ = ["AccessAnswer", "Verdict", "access_ask", "access_json"]
