"""Requests for erasure: a DPO's work from the day one arrives to the letter that says what was done."""
