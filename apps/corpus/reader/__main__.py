"""`python -m apps.corpus.reader DESCRIPTOR MODULE...`: the reading process, started by process.py."""

import socket
import sys

from apps.corpus.reader.server import serve

serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
