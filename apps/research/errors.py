"""Errors of research, with what to do about them."""

from __future__ import annotations
