"""A server on loopback that answers every chat request after a fixed latency; prints its port. For benchmarks only."""

import asyncio
import sys

from aiohttp import web


async def chat(request: web.Request) -> web.Response:
    await request.read()
    await asyncio.sleep(float(sys.argv[1]))
    return web.json_response(
        {
            "id": "r",
            "object": "chat.completion",
            "model": "mock-1",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "B"}}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 1, "total_tokens": 121},
        }
    )


async def models(_: web.Request) -> web.Response:
    return web.json_response({"object": "list", "data": [{"id": "mock-1", "object": "model", "owned_by": "benchmark"}]})


async def main() -> None:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/v1/models", models)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main())
