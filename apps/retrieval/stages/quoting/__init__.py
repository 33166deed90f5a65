"""Choose what to quote without a model: rate sentences and rows, and decide whether the best of them is an answer."""
