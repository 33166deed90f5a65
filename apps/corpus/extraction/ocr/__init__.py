"""Read the text of a page that shows it as a picture, offline: the weights lie in the package `rapidocr`.

`recognition.py` is the door. It loads nothing before the first page that needs it, and runs in the reading process.
"""
