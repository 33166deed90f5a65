"""States and codes of requests and inventories. The models use them; this package imports nothing else of the app."""
