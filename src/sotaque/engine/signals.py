"""Ctrl-C and SIGTERM while requests are answered: end soon, but never in the middle of storing a reply."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

_STOPPING = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Catches both signals from ``__enter__`` to ``__exit__``; does nothing outside the main thread.

    The first signal is kept until ``check`` or an ``interruptible`` block, or handed to ``on_stop``; the second raises
    KeyboardInterrupt on the spot. A signal that was ignored before (nohup) stays ignored.
    """

    def __init__(self) -> None:
        self.caught: signal.Signals | None = None
        self.on_stop: Callable[[], object] | None = None
        self._open = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            for number in _STOPPING:
                before = signal.getsignal(number)
                if before not in (signal.SIG_IGN, None):
                    self._before[number] = before
                    signal.signal(number, self._handle)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def name(self) -> str:
        """What stopped us, as people call it."""
        return "SIGTERM" if self.caught == signal.SIGTERM else "Ctrl-C"

    def check(self) -> None:
        """Stop here if a signal has come.

        Raises:
            KeyboardInterrupt: it has.
        """
        if self.caught is not None:
            raise KeyboardInterrupt

    @contextmanager
    def interruptible(self) -> Generator[None]:
        """A block in which a signal raises KeyboardInterrupt at once."""
        self._open = True
        try:
            self.check()
            yield
        finally:
            self._open = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        again = self.caught is not None
        self.caught = signal.Signals(number)
        if again or self._open:
            raise KeyboardInterrupt
        if self.on_stop is not None:
            self.on_stop()
