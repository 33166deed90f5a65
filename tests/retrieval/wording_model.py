"""A tenant's model that writes what to search for, over real HTTP."""

from __future__ import annotations

import json
from typing import Any

from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.dependencies import Slots
from apps.retrieval.generation.calls import UNNOTED
from apps.retrieval.generation.registry import ResidencyBoundGenerator, generator_for
from apps.retrieval.optional.slots import SlotParts, slots_for
from apps.retrieval.stage_settings import StageSettings
from tests.model_server import ModelServer

PARTS = SlotParts(policy=RetrievalSettings(), tenant_region="eu", tenant_strict=True)


def reply(*texts: object) -> str:
    return json.dumps({"texts": texts})


def profile(server: ModelServer, *, region: str = "eu", **changes: Any) -> dict[str, Any]:
    return {"backend": "openai", "region": region, "model": "chat", "base_url": server.base_url, **changes}


def model_of(settings: Any, entry: dict[str, Any], *, tenant_region: str = "eu") -> ResidencyBoundGenerator:
    """The model of a strict tenant, through the door that its questions go through."""
    settings.GLASSBOX_GENERATION_PROFILES = {"model": entry, "extractive": {"backend": "extractive", "region": "eu"}}
    return generator_for("model", tenant_region=tenant_region, tenant_strict=True, calls=UNNOTED)


def rewriting(name: str, model: ResidencyBoundGenerator | None, **settings: Any) -> Slots:
    return slots_for(StageSettings(rewriter=name, **settings), PARTS, model)


def healing(model: ResidencyBoundGenerator | None = None, **settings: Any) -> Slots:
    return slots_for(StageSettings(healer="coverage", **settings), PARTS, model)
