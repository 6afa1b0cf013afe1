# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells when disks or mounts appear, change or vanish, without polling: a descriptor to wait on."""

from __future__ import annotations

import contextlib
import os
import select
import socket
from dataclasses import dataclass
from types import TracebackType

_NETLINK_KOBJECT_UEVENT = 15
_KERNEL_GROUP = 1
_UDEV_GROUP = 2
_UDEV_MAGIC = b"libudev\0"


@dataclass(frozen=True, slots=True)
class Uevent:
    """Something happened: ``action`` is the kernel's (``add``, ``remove``, ``change``, …), or ``mounts``.

    ``name`` is the block device's; empty for ``mounts`` and for ``lost`` (the kernel dropped events: read all).
    It only says "read again": sysfs is the truth.
    """

    action: str
    name: str = ""
    devtype: str = ""


class Monitor:
    """Waits for block devices (netlink) and mounts (``/proc/self/mountinfo``).

    Poll ``fileno()`` for reading; then ``read()`` gives all that happened. Where the kernel forbids the netlink
    socket (a container), ``hears_disks`` is False and mounts are still heard. Close it, or use it with ``with``.
    udev's own events are heard too: they come when its rules are done, so that a scheduler set by a rule is seen.
    """

    def __init__(self) -> None:
        self._poll = select.epoll()
        self._mounts = os.open("/proc/self/mountinfo", os.O_RDONLY | os.O_CLOEXEC)
        self._poll.register(self._mounts, select.EPOLLPRI | select.EPOLLERR)
        self._mounted = self._mount_table()
        self._socket = _open_socket()
        if self._socket is not None:
            self._poll.register(self._socket, select.EPOLLIN)

    def __enter__(self) -> Monitor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def hears_disks(self) -> bool:
        """Whether appearing and vanishing disks are heard."""
        return self._socket is not None

    def fileno(self) -> int:
        """The descriptor that becomes readable when something happened."""
        return self._poll.fileno()

    def read(self, timeout_s: float = 0) -> tuple[Uevent, ...]:
        """What happened since the last call; empty after ``timeout_s`` seconds of silence."""
        self._poll.poll(timeout_s)
        events = self._from_kernel()
        # Whoever polls our own descriptor makes the kernel forget that mounts changed (poll of mountinfo tells it
        # once): only the table itself tells for certain.
        mounted = self._mount_table()
        if mounted != self._mounted:
            self._mounted = mounted
            events.append(Uevent("mounts"))
        return tuple(events)

    def close(self) -> None:
        """Stop listening; may be called twice."""
        if self._mounts < 0:
            return
        self._poll.close()
        os.close(self._mounts)
        self._mounts = -1
        if self._socket is not None:
            self._socket.close()

    def _mount_table(self) -> bytes:
        parts = []
        os.lseek(self._mounts, 0, os.SEEK_SET)
        while part := os.read(self._mounts, 1 << 16):
            parts.append(part)
        return b"".join(parts)

    def _from_kernel(self) -> list[Uevent]:
        found: list[Uevent] = []
        sock = self._socket
        while sock is not None:
            try:
                message, _, _, sender = sock.recvmsg(65_536)
            except BlockingIOError:
                break
            except OSError:
                # ENOBUFS: more happened than fits. The listener must read everything again.
                found.append(Uevent("lost"))
                break
            event = parse_uevent(message)
            if event is not None and _is_trusted(message, sender):
                found.append(event)
        return found


def _is_trusted(message: bytes, sender: object) -> bool:
    """A message to the kernel's group must come from the kernel (port 0); to udev's, root alone may send."""
    return message.startswith(_UDEV_MAGIC) or (isinstance(sender, tuple) and sender[0] == 0)


def parse_uevent(message: bytes) -> Uevent | None:
    """Read a message of the kernel or of udev; None unless it is about a block device."""
    body = message
    if message.startswith(_UDEV_MAGIC):
        # struct udev_monitor_netlink_header: magic in 4 bytes, header size, then offset and size of the properties.
        start = int.from_bytes(message[16:20], "little")
        body = message[start : start + int.from_bytes(message[20:24], "little")]
    fields = {}
    for part in body.split(b"\0"):
        key, separator, value = part.partition(b"=")
        if separator:
            fields[key] = value.decode("utf-8", "replace")
    if fields.get(b"SUBSYSTEM") != "block" or b"ACTION" not in fields:
        return None
    name = fields.get(b"DEVPATH", "").rpartition("/")[2]
    return Uevent(fields[b"ACTION"], name, fields.get(b"DEVTYPE", ""))


def _open_socket() -> socket.socket | None:
    kind = socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
    try:
        sock = socket.socket(socket.AF_NETLINK, kind, _NETLINK_KOBJECT_UEVENT)
    except OSError:
        return None
    try:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        sock.bind((0, _KERNEL_GROUP | _UDEV_GROUP))
    except OSError:
        sock.close()
        return None
    return sock
