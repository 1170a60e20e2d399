"""How long `sotaque --help` takes, beside bare Python and beside importing the library it is built on."""

import statistics
import subprocess
import sys
import time


def seconds(*command: str) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    commands = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "python -c 'import typer'": (sys.executable, "-c", "import typer"),
        "sotaque --help": (sys.executable, "-m", "sotaque", "--help"),
        "sotaque suites": (sys.executable, "-m", "sotaque", "suites"),
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(11):
        for name, command in commands.items():
            times[name].append(seconds(*command))
    floor = statistics.median(times["python -c 'import typer'"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"{name:28} {middle:6.3f} s   {middle / floor:5.1f} x importing typer")


if __name__ == "__main__":
    main()
