"""Shipped packs: the first policy of a new tenant, made for a sort of firm. A tenant may combine several.

Each file is a policy in the form of `manage.py policy export`, so an officer can read it, compare it and import it.
"""
