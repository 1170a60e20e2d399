"""1,000 chat requests, 32 at once, to a server that answers in 50 ms: `sotaque run` beside a bare aiohttp loop."""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from processes import Took, run
from sotaque.evaluate.questions import pose
from sotaque.models.catalog import ModelOptions, open_model
from sotaque.records import RunSpec
from sotaque.suites.suite import load_suite
from synthetic import write_suite

HERE = Path(__file__).resolve().parent
REQUESTS, CONCURRENCY, LATENCY, ROUNDS = 1000, 32, 0.05, 5


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = subprocess.Popen(
            [sys.executable, HERE / "mock_server.py", str(LATENCY)], stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            compare(folder, f"http://127.0.0.1:{server.stdout.readline().strip()}/v1")
        finally:
            server.terminate()
            server.wait()


def compare(folder: Path, url: str) -> None:
    write_suite(folder / "synthetic", REQUESTS)
    bodies = write_bodies(folder, url)
    bare: list[Took] = []
    ours: list[Took] = []
    for number in range(ROUNDS):
        bare.append(run([sys.executable, str(HERE / "bare_loop.py"), url, str(bodies), str(CONCURRENCY)]))
        home = {"SOTAQUE_HOME": str(folder / f"home{number}"), "OPENAI_API_KEY": "none"}
        command = [sys.executable, "-m", "sotaque", "run", str(folder / "synthetic"), "--model", "openai/mock-1"]
        command += ["--base-url", url, "--concurrency", str(CONCURRENCY), "--out", str(folder / "runs")]
        ours.append(run(command, home))
    report("bare aiohttp loop", bare)
    report("sotaque run", ours)
    ratios = [mine.seconds / floor.seconds for mine, floor in zip(ours, bare, strict=True)]
    print(f"ratio, pair by pair: {min(ratios):.2f} to {max(ratios):.2f}, median {statistics.median(ratios):.2f}")


def write_bodies(folder: Path, url: str) -> Path:
    """The very bodies that sotaque sends."""
    suite = load_suite(str(folder / "synthetic"))
    model = open_model("openai/mock-1", ModelOptions(base_url=url))
    asking = pose(suite, RunSpec(suite="synthetic", model="openai/mock-1"), model)
    path = folder / "bodies.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for question in asking.questions:
            shown = model.preview(question.prompt.request)
            file.write(json.dumps(json.loads(shown[shown.index("{") :]), ensure_ascii=False) + "\n")
    return path


def report(name: str, taken: list[Took]) -> None:
    seconds = statistics.median(each.seconds for each in taken)
    print(f"{name:20} {seconds:6.2f} s (median of {len(taken)})   peak {max(each.peak_mb for each in taken):5.0f} MB")


if __name__ == "__main__":
    main()
