"""Starts SkyRL's server without `uv`, which it would otherwise call to start its engine process."""

import sys

import skyrl.tinker.api as api
from serve import serve
from skyrl.tinker.config import EngineConfig, add_model, config_to_argv


def engine_command(parent, config):
    return [sys.executable, "-m", "skyrl.tinker.engine", *config_to_argv(config)]


api._build_uv_run_cmd_engine = engine_command

serve(api.app, EngineConfig, add_model)
