"""Attention masks made from true positions, in the form that a transformers network takes them.

A network whose configuration names the type of each layer takes one mask per type, any other one mask for all layers.
A sliding layer sees so many positions back, whatever stands between in the cache. What a network does beyond that, its
configuration must tell, because in a short text it does not show.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from sotaque.models.local_library import Config, Tensor, library

_LAYERS = {"full_attention", "sliding_attention"}
# sliding_window is made into a mask here; the others only say in which layers. GPT-Neo's window_size, for one, counts
# columns from the end of the batch.
_WINDOWS = {"sliding_window", "use_sliding_window", "max_window_layers", "sliding_window_pattern"}


def hindrance(config: Config) -> str:
    """What in a network's configuration forbids masks of ours; empty when nothing does."""
    if other := _layer_types(config) - _LAYERS:
        return f"it has layers of another kind ({sorted(other)[0]})"
    if unknown := {name.lstrip("_") for name in config.to_dict() if "window" in name} - _WINDOWS:
        return f"it has a window of its own kind ({sorted(unknown)[0]})"
    return ""


def masks(config: Config, seen: Tensor, distances: Tensor, dtype: object) -> Tensor | dict[str, Tensor]:
    """What to give as ``attention_mask``.

    Args:
        config: of the text network.
        seen: bool, shape (rows, tokens, columns): what stands before a token, itself among it.
        distances: how many positions a column is behind a token; same shape, or one that broadcasts to it.
        dtype: of the network.

    Returns:
        what is added to attention scores, shape (rows, 1, tokens, columns); one for each type where layers have types.
    """
    window = _window(config)
    near = seen & (distances < window) if window else seen
    if "sliding_attention" in _layer_types(config):
        return {"full_attention": _added(seen, dtype), "sliding_attention": _added(near, dtype)}
    return _added(near, dtype)


@contextlib.contextmanager
def narrowed(config: Config) -> Generator[None]:
    """A sliding window so narrow that a short text shows whether ours is the network's."""
    window = getattr(config, "sliding_window", None)
    if window:
        config.sliding_window = min(4, window)
    try:
        yield
    finally:
        if window:
            config.sliding_window = window


def _window(config: Config) -> int | None:
    types = _layer_types(config)
    return getattr(config, "sliding_window", None) if not types or "sliding_attention" in types else None


def _added(seen: Tensor, dtype: object) -> Tensor:
    torch = library("torch")
    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill_(~seen, torch.finfo(dtype).min)[:, None]


def _layer_types(config: Config) -> set[str]:
    return set(getattr(config, "layer_types", None) or ())
