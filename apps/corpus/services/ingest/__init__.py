"""Take in documents: receive a file, queue it, and make it searchable."""
