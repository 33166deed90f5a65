"""Services that change a request, each in one transaction with its event."""
