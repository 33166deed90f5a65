"""Reports from the log: figures over questions, and lists of events for readers outside Glassbox."""
