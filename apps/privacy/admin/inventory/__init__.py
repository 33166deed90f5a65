"""The page of an inventory, and what can be done there."""
