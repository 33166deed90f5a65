"""The providers as shipped: how this installation computes vectors and writes answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from config import env

Profiles = dict[str, dict[str, Any]]


def embedding_profiles(*, region: str, models: Path) -> Profiles:
    """Return the embedding profiles by name.

    Args: region: where this installation runs. models: the folder of installed models; a profile whose model is not
          there is not offered.
    """
    profiles: Profiles = {
        "local": {
            "backend": "sentence-transformers",
            # Empty: the MiniLM folder of the installed wheel. Otherwise a path or a hub name.
            "model": env.text("GLASSBOX_LOCAL_EMBEDDING_MODEL", default=""),
            "dimension": 384,
            "region": region,
        },
        "openai": {
            "backend": "openai",
            "model": env.text("GLASSBOX_OPENAI_EMBEDDING_MODEL", default="text-embedding-3-small"),
            "dimension": 1536,
            "base_url": env.text("GLASSBOX_OPENAI_BASE_URL", default="https://api.openai.com/v1"),
            "api_key_env": "OPENAI_API_KEY",
            "region": env.text("GLASSBOX_OPENAI_REGION", default="us"),
            "timeout_seconds": 20,
            # Of a million tokens, such as "0.02 USD"; empty: no price is set, and no cost is told.
            "price": env.text("GLASSBOX_OPENAI_EMBEDDING_PRICE", default=""),
        },
    }
    mpnet = models / "all-mpnet-base-v2"
    if mpnet.is_dir():
        profiles["mpnet"] = {
            "backend": "sentence-transformers",
            "model": str(mpnet),
            "dimension": 768,
            "region": region,
        }
    return profiles


def generation_profiles(*, region: str) -> Profiles:
    """Return the generation profiles by name. Args: region: where this installation runs."""
    return {
        "extractive": {"backend": "extractive", "region": region},
        "openai": {
            "backend": "openai",
            "model": env.text("GLASSBOX_OPENAI_CHAT_MODEL", default="gpt-4.1-mini"),
            "base_url": env.text("GLASSBOX_OPENAI_BASE_URL", default="https://api.openai.com/v1"),
            "api_key_env": "OPENAI_API_KEY",
            "region": env.text("GLASSBOX_OPENAI_REGION", default="us"),
            "timeout_seconds": 40,
            # Of a million tokens read / written, such as "0.40/1.60 USD".
            "price": env.text("GLASSBOX_OPENAI_CHAT_PRICE", default=""),
        },
    }
