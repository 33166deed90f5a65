"""What the log says in sum: figures over questions, and the list of events for somebody who reads it elsewhere."""
