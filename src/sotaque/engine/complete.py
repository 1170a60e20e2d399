"""Requests in, stored replies out: the one scheduler that evaluation, judging and construction share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from sotaque.engine.batched import answer_in_batches
from sotaque.engine.ledger import Ledger, Watch
from sotaque.engine.pace import DEFAULTS, GaveUp, Settings
from sotaque.engine.served import answer_over_network
from sotaque.engine.signals import Signals
from sotaque.engine.store import Store, Stored
from sotaque.errors import Interrupted, StoreError
from sotaque.models.model import BatchModel, Model, ServedModel
from sotaque.records import Failure, Request


def complete(
    requests: Sequence[Request],
    model: Model,
    store: Store,
    settings: Settings = DEFAULTS,
    watch: Watch | None = None,
) -> list[Stored | Failure]:
    """Answer every request, from the store where it can, and store every reply the moment it lands.

    Equal requests are asked once. Resuming is calling it again. Other processes may work on the same store: what they
    are asking is left to them and taken over if they die.

    Args:
        requests: in any order, of any kinds the model can answer.
        model: a ``ServedModel`` or ``BatchModel`` whose ``prepare`` has returned.
        store: where replies are looked for and kept.
        settings: concurrency, time-outs, retries, reuse.
        watch: hears of progress.

    Returns:
        One result for each request, in their order. A ``Failure`` is not stored: the next call asks again.

    Raises:
        Fatal: no request to this model can succeed. Replies that landed before are stored.
        StoreError: a reply could not be stored, or the store not be read; the same holds.
        Interrupted: Ctrl-C or SIGTERM; the same holds. Raised within two seconds.
    """
    with Signals() as signals:
        ledger = Ledger(requests, model.identity, store, settings)
        try:
            ledger.look_up(watch, signals.check)
            _drive(ledger, model, settings, signals)
            signals.check()
        except GaveUp as reason:
            ledger.give_up(str(reason))
        except KeyboardInterrupt:
            raise _interrupted(ledger, model, settings, signals) from None
        finally:
            # On a full disk claims cannot be deleted; others see that this process is gone.
            with suppress(StoreError):
                store.release()
        return ledger.results()


def _drive(ledger: Ledger, model: Model, settings: Settings, signals: Signals) -> None:
    if isinstance(model, ServedModel):
        if ledger.has_more:
            answer_over_network(ledger, model, settings, signals)
    elif isinstance(model, BatchModel):
        answer_in_batches(ledger, model, signals)
    else:
        raise TypeError(f"{type(model).__name__} is neither a ServedModel nor a BatchModel")


def _interrupted(ledger: Ledger, model: Model, settings: Settings, signals: Signals) -> Interrupted:
    again = "the same command again"
    if not (model.identity.stable or settings.reuse):
        again += " with --reuse"  # without it, a server that may have changed is asked anew
    return Interrupted(f"stopped by {signals.name}", f"run {again}: {ledger.done} of {ledger.total} replies are stored")
