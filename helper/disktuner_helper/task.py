# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting without blocking anybody: coroutines driven by the GLib main loop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import Any, Generic, TypeVar

from gi.repository import Gio, GLib

T = TypeVar("T")


class Later(Generic[T]):
    """A result that somebody will bring: await it, and call ``resolve`` or ``fail`` once."""

    def __init__(self) -> None:
        self._outcome: Callable[[], T] | None = None
        self._waiter: Callable[[], None] | None = None

    def resolve(self, value: T) -> None:
        """Bring the value."""
        self._settle(lambda: value)

    def fail(self, error: Exception) -> None:
        """Bring an error: raised where it is awaited."""

        def outcome() -> T:
            raise error

        self._settle(outcome)

    def when_settled(self, waiter: Callable[[], None]) -> None:
        """Call back once the result is there."""
        if self._outcome is None:
            self._waiter = waiter
        else:
            waiter()

    def _settle(self, outcome: Callable[[], T]) -> None:
        self._outcome = outcome
        waiter, self._waiter = self._waiter, None
        if waiter is not None:
            waiter()

    def __await__(self) -> Generator[Later[Any], None, T]:
        if self._outcome is None:
            yield self
        assert self._outcome is not None
        return self._outcome()


def start(work: Coroutine[Later[Any], None, T], done: Callable[[T], None], failed: Callable[[Exception], None]) -> None:
    """Run a coroutine until it waits, and go on whenever what it waits for is there."""

    def step() -> None:
        try:
            work.send(None).when_settled(step)
        except StopIteration as end:
            done(end.value)
        except Exception as error:  # noqa: BLE001 the outermost floor: the caller gets an answer whatever happens
            failed(error)

    step()


def after(seconds: int, job: Callable[[], None]) -> Callable[[], None]:
    """Do a job once, later; returns how to call it off (harmless when it is done already)."""
    source: list[int] = []

    def run() -> bool:
        source.clear()
        job()
        return False

    def call_off() -> None:
        if source:
            GLib.source_remove(source.pop())

    source.append(GLib.timeout_add_seconds(seconds, run))
    return call_off


async def bus_call(
    connection: Gio.DBusConnection,
    target: tuple[str, str, str, str],
    arguments: GLib.Variant,
    answer: str,
    *,
    limit_s: int,
    cancel: Gio.Cancellable | None = None,
) -> tuple[Any, ...]:
    """Call (name, path, interface, method) and await the answer. Raises GLib.Error."""
    later: Later[tuple[Any, ...]] = Later()

    def finished(source: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
        try:
            later.resolve(source.call_finish(result).unpack())
        except GLib.Error as error:
            later.fail(error)

    kind = GLib.VariantType(answer)
    connection.call(*target, arguments, kind, Gio.DBusCallFlags.NONE, limit_s * 1000, cancel, finished)
    return await later
