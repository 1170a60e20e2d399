import os
import signal
import threading

import pytest

from sotaque.engine.signals import Signals

STOPPING = [signal.SIGINT, signal.SIGTERM]


@pytest.fixture(autouse=True)
def usual_handlers() -> None:
    """Whatever runs the tests may have Ctrl-C ignored."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in STOPPING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])
def test_signal_waits_until_what_is_being_stored_is_stored(number: int, name: str) -> None:
    with Signals() as signals:
        os.kill(os.getpid(), number)
        stored = True
        with pytest.raises(KeyboardInterrupt):
            signals.check()
    assert stored
    assert signals.name == name


def test_signal_stops_what_may_be_interrupted_at_once() -> None:
    reached = []
    with Signals() as signals, pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with signals.interruptible():
            os.kill(os.getpid(), signal.SIGTERM)
            reached.append("after the signal")
        reached.append("after the block")
    assert reached == []


def test_signal_that_came_before_is_met_on_entering() -> None:
    reached = []
    with Signals() as signals:
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), signals.interruptible():
            reached.append("inside")
    assert reached == []


def test_second_signal_does_not_wait() -> None:
    with Signals():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_event_loop_is_told() -> None:
    told: list[bool] = []
    with Signals() as signals:
        signals.on_stop = lambda: told.append(True)
        os.kill(os.getpid(), signal.SIGTERM)
    assert told == [True]


def test_earlier_handlers_come_back() -> None:
    def own(number: int, frame: object) -> None: ...

    signal.signal(signal.SIGTERM, own)
    with Signals():
        assert signal.getsignal(signal.SIGTERM) != own
    assert signal.getsignal(signal.SIGTERM) == own
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler


def test_signal_that_was_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Signals() as signals:
        os.kill(os.getpid(), signal.SIGINT)
        signals.check()
    assert signals.caught is None


def test_other_threads_leave_the_handlers_alone() -> None:
    seen: list[object] = []

    def work() -> None:
        with Signals():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
