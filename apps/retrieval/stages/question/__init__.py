"""What is read out of a question, and the words and names it is read by. Knows no passage."""
