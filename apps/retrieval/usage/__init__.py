"""What requests to models took and cost, counted from the log."""
