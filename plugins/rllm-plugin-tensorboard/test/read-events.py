"""Prints what TensorBoard finds in a folder of event files, as JSON: scalars and texts by tag, in its order."""

import json
import sys

from tensorboard.backend.event_processing.event_accumulator import STORE_EVERYTHING_SIZE_GUIDANCE, EventAccumulator
from tensorboard.util import tensor_util

events = EventAccumulator(sys.argv[1], size_guidance=STORE_EVERYTHING_SIZE_GUIDANCE)
events.Reload()
tags = events.Tags()
print(
    json.dumps(
        {
            "scalars": {
                tag: [{"step": e.step, "value": e.value, "time": e.wall_time} for e in events.Scalars(tag)]
                for tag in tags["scalars"]
            },
            "texts": {
                tag: [
                    {"step": e.step, "text": tensor_util.make_ndarray(e.tensor_proto).item().decode()}
                    for e in events.Tensors(tag)
                ]
                for tag in tags["tensors"]
                if events.SummaryMetadata(tag).plugin_data.plugin_name == "text"
            },
        }
    )
)
