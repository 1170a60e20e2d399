"""The floor: the same chat requests through aiohttp alone, 32 at once, nothing kept."""

import asyncio
import json
import sys

import aiohttp


async def main(url: str, bodies: list[dict[str, object]], concurrency: int) -> int:
    gate = asyncio.Semaphore(concurrency)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=concurrency)) as session:

        async def ask(body: dict[str, object]) -> str:
            async with gate, session.post(f"{url}/chat/completions", json=body) as response:
                return (await response.json())["choices"][0]["message"]["content"]

        return len(await asyncio.gather(*(ask(body) for body in bodies)))


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:  # noqa: PTH123 - as bare as it gets
        requests = [json.loads(line) for line in file]
    print(asyncio.run(main(sys.argv[1], requests, int(sys.argv[3]))))
