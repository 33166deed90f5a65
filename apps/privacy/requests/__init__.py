"""Requests for erasure and for access: the DPO's work from the day a request arrives to the letter that answers it."""
