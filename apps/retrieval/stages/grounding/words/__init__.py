"""Words of business prose: which of them say the same."""
