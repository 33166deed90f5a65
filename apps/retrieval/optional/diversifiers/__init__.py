"""Diversifiers behind one Protocol (apps.retrieval.protocols.Diversifier): what keeps a list from repeating itself."""
