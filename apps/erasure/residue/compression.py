"""Read what PostgreSQL compressed: a compressed value hides from every search for what it says.

Both decoders return what they got when the data break off or make no sense: half of a deleted value is residue too.
"""

from __future__ import annotations

PGLZ, LZ4 = 0, 1


def decompress(data: bytes, *, method: int, raw_bytes: int) -> bytes:
    """At most raw_bytes of a value compressed by pglz or LZ4."""
    return pglz(data, raw_bytes) if method == PGLZ else lz4(data, raw_bytes)


def pglz(data: bytes, raw_bytes: int) -> bytes:
    """Source: src/common/pg_lzcompress.c. A control byte, then eight items: literals, or tags of two or three bytes."""
    out = bytearray()
    place, end = 0, len(data)
    while place < end and len(out) < raw_bytes:
        control = data[place]
        place += 1
        if not control:
            out += data[place : place + 8]
            place += 8
            continue
        for _ in range(8):
            if place >= end:
                break
            if not control & 1:
                out.append(data[place])
                place += 1
            else:
                if place + 1 >= end:
                    break
                first = data[place]
                length = (first & 0x0F) + 3
                distance = (first & 0xF0) << 4 | data[place + 1]
                place += 2
                if length == 18:
                    if place >= end:
                        break
                    length += data[place]
                    place += 1
                if not _copy(out, distance, length):
                    return bytes(out[:raw_bytes])
            control >>= 1
    return bytes(out[:raw_bytes])


def lz4(data: bytes, raw_bytes: int) -> bytes:
    """Source: lz4_Block_format.md. A token with two lengths, literals, and a distance to copy from."""
    out = bytearray()
    place, end = 0, len(data)
    while place < end and len(out) < raw_bytes:
        token = data[place]
        length, place = _lz4_length(data, place + 1, token >> 4)
        out += data[place : place + length]
        place += length
        if place + 2 > end:
            break
        distance = data[place] | data[place + 1] << 8
        length, place = _lz4_length(data, place + 2, token & 0x0F)
        if not _copy(out, distance, length + 4):
            break
    return bytes(out[:raw_bytes])


def _lz4_length(data: bytes, place: int, length: int) -> tuple[int, int]:
    if length == 15:
        while place < len(data):
            more = data[place]
            place += 1
            length += more
            if more != 255:
                break
    return length, place


def _copy(out: bytearray, distance: int, length: int) -> bool:
    """Repeat `length` bytes from `distance` back. Returns: whether there is such a place."""
    start = len(out) - distance
    if distance == 0 or start < 0:
        return False
    if distance >= length:
        out += out[start : start + length]
    else:
        out += (out[start:] * (length // distance + 1))[:length]
    return True
