"""The classifier's desk: how well questions are recognised."""
