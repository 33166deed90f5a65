"""Facts of inline XBRL, each with its place in the text that extraction made of the file."""
