"""One causal language model in this process: forward steps, with and without a key-value cache."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Generator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import psutil

from sotaque.errors import Fatal, Rejected
from sotaque.models.local_library import Cache, Config, Library, Net, Tensor, first_line, library, quiet
from sotaque.models.local_place import LoadOptions, Place

# Seen to differ by 1e-4 at most in float32; lower precisions differ by rounding alone.
AGREEMENT = {"float32": 2e-3}
AGREEMENT_OF_OTHERS = 0.5
ROWS_IN_CACHE = 16


class OutOfRoom(Exception):
    """The device has no memory for this step; a smaller one may fit."""


class Network:
    """A loaded network in evaluation mode.

    Attributes:
        window: the most tokens it can read, ``None`` where its configuration states no limit.
        vocabulary: the number of logits.
        cache_bytes: memory of one token in the key-value cache, estimated from the configuration.
        stretches_beyond: the length beyond which positions depend on the length of the text, so that a token reads
            differently in a longer one; ``None`` where they never do.
        tolerance: how far two ways of reading may differ in a logit before one of them is wrong.
        device: a torch device's name.
    """

    def __init__(self, net: Net, device: str) -> None:
        self._net = net
        self.device = device
        self._torch: Library = library("torch")
        takes = inspect.signature(net.forward).parameters
        self._keeps = "logits_to_keep" in takes
        # transformers 5.24 renamed it; earlier releases know the long name only.
        self._cache_name = "cache" if "cache" in takes else "past_key_values"
        config = net.config.get_text_config()
        self.window = window_of(config)
        self.vocabulary = int(net.get_output_embeddings().weight.shape[0])
        self.cache_bytes = _cache_bytes(config, net.dtype.itemsize)
        self.tolerance = AGREEMENT.get(str(net.dtype).removeprefix("torch."), AGREEMENT_OF_OTHERS)
        self.stretches_beyond = stretch_of(config)
        self._why_not: str | None = None

    @property
    def net(self) -> Net:
        """The transformers model itself."""
        return self._net

    @property
    def why_not(self) -> str:
        """Why one context's cache may not be carried to several continuations; empty when it may."""
        if self._why_not is None:
            try:
                self._why_not = _objection(self)
            except OutOfRoom:
                return "there is no memory to carry its cache over"  # now; there may be later
        return self._why_not

    @property
    def shares_cache(self) -> bool:
        """Whether it may."""
        return not self.why_not

    def step(
        self,
        rows: Sequence[Sequence[int]],
        cache: Cache = None,
        keep: int | Sequence[int] = 1,
        remember: bool = True,
        inputs: Mapping[str, object] = MappingProxyType({}),
    ) -> tuple[Tensor, Cache]:
        """Read ``rows`` (token ids, all of one length) after what ``cache`` holds.

        ``inputs`` goes to the network as it is (positions, a mask); by default each row is one text without gaps.

        Returns:
            float32 logits of the last ``keep`` positions (0: of all), or of those that it lists, shape
            (rows, positions, vocabulary), on the device; and the cache with these tokens added, ``None`` where the
            network keeps none.

        Raises:
            Rejected: a token id is outside the network's vocabulary.
            OutOfRoom: no memory for it; ``cache`` may be half changed.
        """
        check_ids(rows, self.vocabulary)
        options = dict(inputs)
        if cache is not None:
            options[self._cache_name] = cache
        with out_of_room(), self._torch.inference_mode():
            places = keep if isinstance(keep, int) else self._torch.tensor(keep, device=self.device)
            if self._keeps:
                options["logits_to_keep"] = places
            ids = self._torch.tensor(rows, device=self.device)
            out = self._net(input_ids=ids, use_cache=remember, **options)
            logits = (
                out.logits if self._keeps else out.logits[:, slice(-keep, None) if isinstance(keep, int) else places]
            )
            return logits.float(), (getattr(out, self._cache_name, None) if remember else None)

    def fork(self, cache: Cache, rows: int) -> Cache:
        """An independent copy of a one-row ``cache``, repeated for ``rows`` rows."""
        with out_of_room(), self._torch.inference_mode():
            forked = copy.deepcopy(cache)
            forked.batch_repeat_interleave(rows)
            return forked

    def picked(self, logits: Tensor, rows: Sequence[int], tokens: Sequence[int]) -> list[float]:
        """Natural log-probability of each of ``tokens`` by the row of ``logits``, (positions, vocabulary), it names."""
        torch = self._torch
        with torch.inference_mode():
            at = torch.tensor(rows, device=logits.device)
            # A few rows at a time stay in the processor's cache: three times faster.
            totals = torch.cat([some.logsumexp(-1) for some in logits.split(ROWS_IN_CACHE)])
            return (logits[at, torch.tensor(tokens, device=logits.device)] - totals[at]).tolist()

    def free_bytes(self) -> int:
        """Memory that the device has left, as far as can be told."""
        if self.device.startswith("cuda"):
            return int(self._torch.cuda.mem_get_info(self.device)[0])
        return int(psutil.virtual_memory().available)

    def log_probabilities(self, logits: Tensor, targets: Sequence[Sequence[int]]) -> list[list[float]]:
        """Natural log-probability of each target id.

        ``logits`` is (rows, positions, vocabulary), float32; one row may serve several rows of targets.
        """
        with self._torch.inference_mode():
            wanted = self._torch.tensor(targets, device=logits.device).unsqueeze(-1)
            picked = logits.expand(len(targets), -1, -1).gather(-1, wanted).squeeze(-1)
            return (picked - logits.logsumexp(-1)).tolist()


def load_network(place: Place, options: LoadOptions) -> Network:
    """Load the weights of ``place``: safetensors only, in evaluation mode, on ``options.device``.

    Raises:
        Fatal: the weights cannot be read, do not fit the configuration, or some are missing.
    """
    torch, transformers = library("torch"), library("transformers")
    try:
        with quiet():
            net, report = transformers.AutoModelForCausalLM.from_pretrained(
                place.folder,
                use_safetensors=True,
                trust_remote_code=options.trust_remote_code,
                local_files_only=True,
                dtype=getattr(torch, options.dtype or "float32"),
                output_loading_info=True,
            )
            net = net.to(options.device).eval()
    # The loaders raise whatever the broken part raises (OSError, SafetensorError, KeyError ...).
    except Exception as error:
        raise Fatal(
            f"{place.folder}: the weights of {place.name} cannot be loaded: {first_line(error)}",
            "check that the folder holds one whole causal language model in safetensors format, and free memory",
        ) from error
    missing = sorted(report["missing_keys"])
    if missing:
        # transformers fills them with random numbers and carries on.
        raise Fatal(
            f"{place.folder}: {len(missing)} weights of {place.name} are missing, the first is {missing[0]}",
            "the files are incomplete or belong to another architecture: fetch them again",
        )
    return Network(net, options.device or "cpu")


def window_of(config: Config) -> int | None:
    """The most tokens a network of this configuration can read."""
    names = ("max_position_embeddings", "n_positions", "max_seq_len")
    sizes = [getattr(config, name, None) for name in names]
    return next((size for size in sizes if isinstance(size, int) and size > 0), None)


def stretch_of(config: Config) -> int | None:
    """Where rotary positions begin to be stretched by the length of the text ("dynamic" and "longrope" scaling)."""
    rope: Mapping[str, Any] = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    # Where layers differ in their positions, there is one such mapping per type of layer.
    kinds: list[Mapping[str, Any]] = [rope, *(part for part in rope.values() if isinstance(part, dict))]
    moving = [kind for kind in kinds if kind.get("rope_type", kind.get("type")) in ("dynamic", "longrope")]
    own = getattr(config, "original_max_position_embeddings", None) or getattr(config, "max_position_embeddings", 0)
    return min((int(kind.get("original_max_position_embeddings") or own) for kind in moving), default=None)


def _cache_bytes(config: Config, itemsize: int) -> int:
    heads = getattr(config, "num_attention_heads", None) or 1
    kept = getattr(config, "num_key_value_heads", None) or heads
    width = getattr(config, "head_dim", None) or getattr(config, "hidden_size", 1024) // heads
    return 2 * getattr(config, "num_hidden_layers", 32) * kept * width * itemsize


def _objection(network: Network) -> str:
    """Why the cache of this network cannot be shared, found by trying; empty when it can.

    Architectures differ in what their cache holds (states instead of keys, nothing at all), and a wrong expansion
    gives wrong numbers, not an error: so the shared and the plain way must agree on a few tokens first.
    """
    ids = [index % network.vocabulary for index in range(7, 15)]
    try:
        with out_of_room():
            _, cache = network.step([ids[:5]])
            shared, _ = network.step([ids[5:], ids[5:]], network.fork(cache, 2), keep=0)
    except (AttributeError, TypeError, ValueError, NotImplementedError, RuntimeError) as error:
        return f"its cache cannot be expanded ({type(error).__name__})"
    plain, _ = network.step([ids], keep=3, remember=False)
    gap = float((shared[1] - plain[0]).abs().max())
    if not gap <= network.tolerance:
        return f"its cache, expanded, changes the logits by {gap:.2g}"
    return ""


def check_ids(rows: Sequence[Sequence[int]], vocabulary: int) -> None:
    """Refuse ids that the network has no logit for.

    Raises:
        Rejected: names the largest.
    """
    top = max(max(row) for row in rows)
    if top >= vocabulary:
        raise Rejected(
            f"token {top} is outside the network's vocabulary of {vocabulary}",
            "the tokenizer and the weights do not belong together: check the model's folder",
        )


@contextlib.contextmanager
def out_of_room() -> Generator[None]:
    """Memory that runs out within is an OutOfRoom, on any device."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not _is_out_of_memory(error):
            raise
        raise OutOfRoom(first_line(error)) from error


def _is_out_of_memory(error: Exception) -> bool:
    text = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text
