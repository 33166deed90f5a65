"""Facts and series for API clients."""
