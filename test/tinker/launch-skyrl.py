"""Starts SkyRL's server without `uv`, which it would otherwise call to start its engine process."""

import argparse
import sys

import skyrl.tinker.api as api
import uvicorn
from skyrl.tinker.config import EngineConfig, add_model, config_to_argv


def engine_command(parent, config):
    return [sys.executable, "-m", "skyrl.tinker.engine", *config_to_argv(config)]


api._build_uv_run_cmd_engine = engine_command

parser = argparse.ArgumentParser()
add_model(parser, EngineConfig)
parser.add_argument("--port", type=int, required=True)
given = parser.parse_args()
fields = {key: value for key, value in vars(given).items() if key in EngineConfig.model_fields}
api.app.state.engine_config = EngineConfig.model_validate(fields)
uvicorn.run(api.app, host="127.0.0.1", port=given.port, log_level="warning")
