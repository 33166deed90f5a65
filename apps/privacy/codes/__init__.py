"""States and codes of requests and inventories, which the models are made of: nothing of this room is below them."""
