"""Whether an English sentence relates its words as its source does: who does what, whether it happened, to whom."""
