"""The official Python SDK at the work of bench/tinker-python.ts: one model on a server of the Tinker API.

    python bench/tinker_python_sdk.py URL BASE_MODEL

Each line on stdin is a round, as JSON: first iteration, iterations. Each line on stdout tells it: seconds, and the reward of every iteration.
"""

import json
import sys
import time

import tinker
from tinker import types

url, base_model = sys.argv[1:]
PROMPT, ROWS, NEW_TOKENS, BELOW = [5, 6, 7, 8], 32, 8, 32
ADAM = types.AdamParams(learning_rate=0.01, beta1=0.9, beta2=0.95, eps=1e-8)

service = tinker.ServiceClient(base_url=url, api_key="tml-none")
training = service.create_lora_training_client(base_model=base_model, rank=8, seed=7)


def datum(sequence, advantage):
    whole = PROMPT + sequence.tokens
    padding = [0.0] * (len(PROMPT) - 1)
    floats = {
        "logprobs": padding + sequence.logprobs,
        "advantages": padding + [advantage] * len(sequence.tokens),
        "weights": padding + [1.0] * len(sequence.tokens),
    }
    inputs = {name: types.TensorData(data=data, dtype="float32", shape=[len(data)]) for name, data in floats.items()}
    inputs["target_tokens"] = types.TensorData(data=whole[1:], dtype="int64", shape=[len(whole) - 1])
    return types.Datum(model_input=types.ModelInput.from_ints(whole[:-1]), loss_fn_inputs=inputs)


def iterate(seed):
    sampler = training.save_weights_and_get_sampling_client()
    params = types.SamplingParams(max_tokens=NEW_TOKENS, seed=seed)
    sequences = sampler.sample(types.ModelInput.from_ints(PROMPT), ROWS, params).result().sequences
    rewards = [sum(token < BELOW for token in each.tokens) / len(each.tokens) for each in sequences]
    mean = sum(rewards) / len(rewards)
    data = [datum(each, reward - mean) for each, reward in zip(sequences, rewards)]
    forward = training.forward_backward(data, "importance_sampling")
    step = training.optim_step(ADAM)
    forward.result()
    step.result()
    return mean


for line in sys.stdin:
    first, count = json.loads(line)
    start = time.perf_counter()
    rewards = [iterate(seed) for seed in range(first, first + count)]
    print(json.dumps({"seconds": time.perf_counter() - start, "rewards": rewards}), flush=True)
