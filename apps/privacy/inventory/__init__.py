"""The inventory of a request: where the person was found, what the DPO decides on each place, and what is removed."""
