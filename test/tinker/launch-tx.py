"""Starts SkyRL's tx server without `uv`, which it would otherwise call to start its engine process."""

import asyncio
import sys

import tx.tinker.api as api
from serve import serve
from tx.tinker.config import EngineConfig, add_model

start_process = asyncio.create_subprocess_exec


async def start_with_this_python(*command, **options):
    words = list(command)
    engine = words[words.index("tx.tinker.engine") :]
    return await start_process(sys.executable, "-m", *engine, **options)


asyncio.create_subprocess_exec = start_with_this_python

serve(api.app, EngineConfig, add_model)
