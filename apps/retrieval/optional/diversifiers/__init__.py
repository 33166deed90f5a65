"""Diversifiers, which follow apps.retrieval.protocols.Diversifier and keep a list from repeating itself."""
