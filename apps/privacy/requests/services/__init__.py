"""What is done to a request: each in one transaction with its event."""
