"""What every admin page knows: the active tenant, and the others that the person may switch to."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest


def tenant_switcher(request: HttpRequest) -> dict[str, Any]:
    principal = getattr(request, "principal", None)
    choices = getattr(request, "tenant_choices", ())
    active = next((choice for choice in choices if principal and choice.id == principal.tenant_id), None)
    return {"tenant_choices": choices, "active_tenant": active, "principal": principal}
