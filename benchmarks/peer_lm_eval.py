"""Option scoring by lm-evaluation-harness (MIT), the peer: its Hugging Face backend, one request at a time.

Timed is its loop alone, ``loglikelihood`` over ready requests: not the import, the loading of weights, or its tasks.
"""

import importlib.util
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from sotaque.models.local_library import quiet
from sotaque.records import Choose

VERSION = "0.4.13"
# Read when huggingface_hub is imported, which is later: nothing here needs the network.
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def installed() -> bool:
    return importlib.util.find_spec("lm_eval") is not None


class Peer:
    def __init__(self, folder: Path) -> None:
        logging.getLogger("lm_eval").setLevel(logging.ERROR)
        with quiet():
            from lm_eval.api.instance import Instance
            from lm_eval.models.huggingface import HFLM

            self._lm = HFLM(pretrained=str(folder), dtype="float32", device="cpu", batch_size=1)
            self._instance = Instance

    def scores(self, requests: Sequence[Choose]) -> list[list[float]]:
        """The summed log-probability of every continuation of every request."""
        instances = [
            self._instance("loglikelihood", {}, (request.context, continuation), index)
            for request in requests
            for index, continuation in enumerate(request.continuations)
        ]
        found = iter(self._lm.loglikelihood(instances, disable_tqdm=True))
        return [[next(found)[0] for _ in request.continuations] for request in requests]
