# SPDX-License-Identifier: GPL-3.0-or-later
"""A result hidden in a PNG's metadata: one compressed international text chunk, checked when it is read again.

The chunk has a checksum of the picture's pixels and the text, so that a picture and a result that were not saved
together are noticed. It is no signature: anybody can compute it anew.

Source: W3C, Portable Network Graphics, section 11.3.3.4 (iTXt) and 5.3 (chunk layout).
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator

from disktuner.results.model import LARGEST_BYTES, BadResult

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"disktuner-result"
MOST_CHUNKS = 20_000
"""Qt's are 8 KiB each."""


def embed(png: bytes, text: str) -> bytes:
    """Return the PNG with the text embedded before its end chunk."""
    plain = text.encode("utf-8")
    seal = _seal(png, plain)
    body = KEYWORD + b"\0" + b"\1\0" + b"\0" + seal + b"\0" + zlib.compress(plain, 9)
    end = png.rindex(b"IEND") - 4
    return png[:end] + _chunk(b"iTXt", body) + png[end:]


def result_in_picture(png: bytes) -> bytes:
    """Return the text that ``embed`` embedded. Raises ``BadResult`` for a cut, forged or ordinary picture.

    No pixels are unpacked, as the checksum is of the packed ones.
    """
    if not png.startswith(SIGNATURE):
        raise BadResult("picture-without-result")
    texts = [body for kind, body in _chunks(png) if kind == b"iTXt" and body[: len(KEYWORD) + 1] == KEYWORD + b"\0"]
    if not texts:
        raise BadResult("picture-without-result")
    if len(texts) > 1:
        raise BadResult("picture-forged")
    seal, plain = _unpacked(bytes(texts[0][len(KEYWORD) + 1 :]))
    if seal != _seal(png, plain):
        raise BadResult("picture-repainted")
    return plain


def _seal(png: bytes, text: bytes) -> bytes:
    """Return the checksum of the packed pixels and the text."""
    seal = hashlib.sha256()
    for kind, body in _chunks(png):
        if kind == b"IDAT":
            seal.update(body)
    seal.update(text)
    return seal.hexdigest().encode("ascii")


def _unpacked(body: bytes) -> tuple[bytes, bytes]:
    """Return the seal and the text of our chunk."""
    try:
        flag, rest = body[:2], body[2:]
        _language, seal, packed = rest.split(b"\0", 2)
        if flag != b"\1\0":
            raise ValueError
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(packed, LARGEST_BYTES)
    except (ValueError, zlib.error):
        raise BadResult("picture-damaged") from None
    if unpacker.unconsumed_tail:
        raise BadResult("file-too-large")
    if not unpacker.eof:
        raise BadResult("picture-damaged")
    return seal, plain


def _chunks(png: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """Yield all chunks, with verified checksums; the last must be IEND."""
    at, whole = len(SIGNATURE), memoryview(png)
    for _ in range(MOST_CHUNKS):
        if at + 12 > len(png):
            break
        (length,) = struct.unpack_from(">I", png, at)
        kind, end = png[at + 4 : at + 8], at + 8 + length
        if end + 4 > len(png):
            break
        if struct.unpack_from(">I", png, end)[0] != zlib.crc32(whole[at + 4 : end]):
            raise BadResult("picture-damaged")
        yield kind, whole[at + 8 : end]
        if kind == b"IEND":
            return
        at = end + 4
    raise BadResult("picture-damaged")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
