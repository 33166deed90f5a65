"""Removing what is held of a document, a person, a scope or a tenant, from everywhere, and knowing that it is gone."""
