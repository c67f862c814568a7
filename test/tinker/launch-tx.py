"""Starts SkyRL's tx server without `uv`, which it would otherwise call to start its engine process."""

import argparse
import asyncio
import sys

import tx.tinker.api as api
import uvicorn
from tx.tinker.config import EngineConfig, add_model

start_process = asyncio.create_subprocess_exec


async def start_with_this_python(*command, **options):
    words = list(command)
    engine = words[words.index("tx.tinker.engine") :]
    return await start_process(sys.executable, "-m", *engine, **options)


asyncio.create_subprocess_exec = start_with_this_python

parser = argparse.ArgumentParser()
add_model(parser, EngineConfig)
parser.add_argument("--port", type=int, required=True)
given = parser.parse_args()
fields = {key: value for key, value in vars(given).items() if key in EngineConfig.model_fields}
api.app.state.engine_config = EngineConfig.model_validate(fields)
uvicorn.run(api.app, host="127.0.0.1", port=given.port, log_level="warning")
