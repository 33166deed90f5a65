"""What a model may write to be searched for besides the question. Words alone are taken of it: see wordings.py."""
