"""The policy in the admin."""

from apps.intents.admin import policy_version

__all__ = ["policy_version"]
