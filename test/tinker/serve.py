"""What the launchers of SkyRL's two servers do alike."""

import argparse

import uvicorn


def serve(app, config_class, add_model):
    """Serves `app` on loopback, at `--port`, with an engine that has the other options."""
    parser = argparse.ArgumentParser()
    add_model(parser, config_class)
    parser.add_argument("--port", type=int, required=True)
    given = parser.parse_args()
    fields = {key: value for key, value in vars(given).items() if key in config_class.model_fields}
    app.state.engine_config = config_class.model_validate(fields)
    uvicorn.run(app, host="127.0.0.1", port=given.port, log_level="warning")
