"""A server as a process of its own whose reply depends on the question; logs each POST before it answers.

python tests/cli/answering_server.py --delay 0.05 --log FILE     prints its URL
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fault_server import Answer, FaultServer, Seen, chat


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, required=True, help="seconds before each reply")
    parser.add_argument("--log", type=Path, required=True, help="a line for each POST")
    options = parser.parse_args()
    with options.log.open("a", encoding="utf-8", buffering=1) as log:

        def answer(seen: Seen) -> Answer:
            log.write(json.dumps(seen.text) + "\n")
            number = crc32(seen.text.encode())
            usage = {"prompt_tokens": len(seen.text), "completion_tokens": number % 9 + 1}
            return chat(f"É a {'ABCD'[number % 4]}.", delay=options.delay, usage=usage)

        server = FaultServer(answer)
        asyncio.run(server.serve(lambda: print(server.url, flush=True)))


if __name__ == "__main__":
    main()
