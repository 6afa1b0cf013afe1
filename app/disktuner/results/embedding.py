# SPDX-License-Identifier: GPL-3.0-or-later
"""A result hidden in a PNG's metadata: one compressed international text chunk, checked when it is read
again.

The chunk carries a checksum over the picture's pixels and the text, so that a picture and a result that were not
saved together are noticed. It is no signature: who knows this file can compute it anew.

Source: W3C, Portable Network Graphics, section 11.3.3.4 (iTXt) and 5.3 (chunk layout).
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator

from disktuner.results.errors import BadResult

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"disktuner-result"
LARGEST_TEXT_BYTES = 2**28

_CUT = "The picture was cut or damaged. Ask for the original file, not a screenshot or a re-saved copy."
_BARE = (
    "This picture holds no result: it was not saved by Disktuner, or a service on its way removed the hidden data. "
    "Ask for the original file or for the result as .json."
)
_FOREIGN = (
    "The numbers in this picture are not those it was saved with, or it was painted over or compressed anew: do not "
    "trust it. Ask for the original file or for the result as .json."
)


def embed(png: bytes, text: str) -> bytes:
    """Return the PNG with the text in it, before its end chunk."""
    plain = text.encode("utf-8")
    seal = _seal([body for kind, body in _chunks(png) if kind == b"IDAT"], plain)
    body = KEYWORD + b"\0" + b"\1\0" + b"\0" + seal + b"\0" + zlib.compress(plain, 9)
    end = png.rindex(b"IEND") - 4
    return png[:end] + _chunk(b"iTXt", body) + png[end:]


def text_in_picture(png: bytes) -> str:
    """Return the text that ``embed`` hid. Raises ``BadResult`` for a cut, forged or ordinary picture."""
    if not png.startswith(SIGNATURE):
        raise BadResult(f"This is not a PNG picture. {_BARE.split(': ', 1)[1].split('. ', 1)[1]}")
    chunks = list(_chunks(png))
    found = [body for kind, body in chunks if kind == b"iTXt" and body.startswith(KEYWORD + b"\0")]
    if not found:
        raise BadResult(_BARE)
    if len(found) > 1:
        raise BadResult("This picture holds two results, which Disktuner never writes; it was forged. Do not trust it.")
    seal, plain = _unpacked(found[0][len(KEYWORD) + 1 :])
    if seal != _seal([body for kind, body in chunks if kind == b"IDAT"], plain.encode("utf-8")):
        raise BadResult(_FOREIGN)
    return plain


def _seal(pixels: list[bytes], text: bytes) -> bytes:
    return hashlib.sha256(b"".join([*pixels, text])).hexdigest().encode("ascii")


def _unpacked(body: bytes) -> tuple[bytes, str]:
    """Return the seal and the text of our chunk."""
    try:
        flag, rest = body[:2], body[2:]
        _language, seal, packed = rest.split(b"\0", 2)
        if flag != b"\1\0":
            raise ValueError
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(packed, LARGEST_TEXT_BYTES)
        if not unpacker.eof:
            raise ValueError
        return seal, plain.decode("utf-8")
    except (ValueError, zlib.error):
        raise BadResult(f"The result in this picture cannot be unpacked. {_CUT}") from None


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """All chunks, each with its checksum proved; the last must be IEND."""
    at = len(SIGNATURE)
    while at + 12 <= len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, end = png[at + 4 : at + 8], at + 8 + length
        if end + 4 > len(png):
            break
        body = png[at + 8 : end]
        if struct.unpack_from(">I", png, end)[0] != zlib.crc32(kind + body):
            raise BadResult(f"The picture's checksums are wrong. {_CUT}")
        yield kind, body
        if kind == b"IEND":
            return
        at = end + 4
    raise BadResult(f"The picture ends too early. {_CUT}")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
