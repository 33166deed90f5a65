"""The inventory of a request for erasure: where somebody was found, what a person says of each place, what goes."""
