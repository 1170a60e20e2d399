"""Option scoring without sharing: every option with its whole context, one at a time, in transformers alone."""

from collections.abc import Sequence

from sotaque.models.boundary import Split
from sotaque.models.local_library import library, quiet
from sotaque.models.local_prompt import Prompter
from sotaque.models.prepare import local_folder
from sotaque.records import Choose

Scores = list[list[float]]


class Plain:
    """One option at a time with its whole context, logits only where they are needed."""

    def __init__(self) -> None:
        transformers, folder = library("transformers"), local_folder()
        self._torch = library("torch")
        with quiet():
            self.prompter = Prompter(transformers.AutoTokenizer.from_pretrained(folder))
            net = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=self._torch.float32)
        self.net = net.eval()

    def cuts(self, requests: Sequence[Choose]) -> list[Split]:
        return [self.prompter.choice(request)[0] for request in requests]

    def scores(self, requests: Sequence[Choose]) -> Scores:
        return [[self._score(cut.prefix, rest) for rest in cut.rests] for cut in self.cuts(requests)]

    def _score(self, prefix: Sequence[int], rest: Sequence[int]) -> float:
        with self._torch.inference_mode():
            ids = self._torch.tensor([[*prefix, *rest[:-1]]])
            logits = self.net(input_ids=ids, use_cache=False, logits_to_keep=len(rest)).logits[0]
            wanted = self._torch.tensor(rest).unsqueeze(-1)
            # In float64: torch's float32 log_softmax is off by up to 4.5e-4 over 50 tokens of this vocabulary.
            return float(self._torch.log_softmax(logits.double(), -1).gather(-1, wanted).sum())
