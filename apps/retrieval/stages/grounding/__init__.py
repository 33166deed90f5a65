"""Whether an answer stands in what it cites: whom it is about, what it says, quotes and figures."""
