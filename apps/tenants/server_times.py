"""Where earlier migrations look for it: see stamping.py."""

from apps.tenants.stamping import FUNCTION, ServerTimes

__all__ = ["FUNCTION", "ServerTimes"]
