# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that sleeps in io_uring until it is ended, waiting for a pipe that nobody writes to.

Linux 6.5 and later count that as waiting for I/O, also for terminals, virtual machines and services that use io_uring.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct

SETUP, ENTER = 425, 426
"""System calls (asm-generic/unistd.h)."""
PARAMETERS_BYTES, OFFSETS_AT, REQUEST_BYTES = 120, 40, 64
REQUESTS = 0x10000000
POLL_ADD, READABLE, GET_EVENTS = 6, 1, 1
"""See linux/io_uring.h."""


def main() -> None:
    """Ask to be told when the pipe is readable, and wait for that."""
    call = ctypes.CDLL(None, use_errno=True).syscall
    parameters = ctypes.create_string_buffer(PARAMETERS_BYTES)
    ring = call(SETUP, 1, parameters)
    if ring < 0:
        raise OSError(ctypes.get_errno(), "io_uring_setup")
    _, tail, _, _, _, _, entries = struct.unpack_from("7I", parameters, OFFSETS_AT)
    queue = mmap.mmap(ring, entries + 4)
    requests = mmap.mmap(ring, REQUEST_BYTES, offset=REQUESTS)
    pipe, _ = os.pipe()
    struct.pack_into("BBHiQQII", requests, 0, POLL_ADD, 0, 0, pipe, 0, 0, 0, READABLE)
    struct.pack_into("I", queue, entries, 0)
    struct.pack_into("I", queue, tail, 1)
    call(ENTER, ring, 1, 1, GET_EVENTS, None, ctypes.c_size_t(0))


if __name__ == "__main__":
    main()
