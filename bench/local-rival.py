"""Guess-number by a straight PyTorch script: same model, batch, loss and settings as bench/local.ts, KV cache, all cores.

    python bench/local-rival.py SETTINGS_AS_JSON SEED
"""

import json
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

settings, seed = json.loads(sys.argv[1]), int(sys.argv[2])
torch.manual_seed(seed)
NUMBERS, TURNS = settings["numbers"], settings["turns"]
D, LAYERS, HEADS = settings["dModel"], settings["nLayers"], settings["nHeads"]
TASKS, GROUP = settings["tasksPerStep"], settings["rolloutsPerTask"]
ROLLOUTS, LENGTH, HEAD = TASKS * GROUP, 2 * TURNS - 1, D // HEADS
BOS, LOWER, HIGHER, VOCABULARY = 0, NUMBERS + 1, NUMBERS + 2, NUMBERS + 3


class RMSNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(D))

    def forward(self, x):
        return F.rms_norm(x, (D,), self.gain, 1e-5)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        residual = (2 * LAYERS) ** -0.5
        self.attention_norm, self.feed_forward_norm = RMSNorm(), RMSNorm()
        self.qkv = nn.Parameter(torch.randn(D, 3 * D) * D**-0.5)
        self.attention_out = nn.Parameter(torch.randn(D, D) * residual * D**-0.5)
        self.feed_forward_in = nn.Parameter(torch.randn(D, 4 * D) * D**-0.5)
        self.feed_forward_out = nn.Parameter(torch.randn(4 * D, D) * residual * (4 * D) ** -0.5)

    def forward(self, x, cache=None, position=0):
        rows, length, _ = x.shape
        q, k, v = (self.attention_norm(x) @ self.qkv).view(rows, length, 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)
        if cache is None:
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            keys, values = cache
            keys[:, :, position : position + 1], values[:, :, position : position + 1] = k, v
            mixed = F.scaled_dot_product_attention(q, keys[:, :, : position + 1], values[:, :, : position + 1])
        x = x + mixed.transpose(1, 2).reshape(rows, length, D) @ self.attention_out
        return x + F.relu(self.feed_forward_norm(x) @ self.feed_forward_in) @ self.feed_forward_out


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(VOCABULARY, D) * 0.02)
        self.positions = nn.Parameter(torch.randn(LENGTH, D) * 0.02)
        self.blocks = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.final_norm = RMSNorm()
        self.head = nn.Parameter(torch.randn(D, VOCABULARY) * 0.02)

    def forward(self, tokens, caches=None, position=0):
        x = self.tokens[tokens] + self.positions[position : position + tokens.shape[1]]
        for i, block in enumerate(self.blocks):
            x = block(x, None if caches is None else caches[i], position)
        return self.final_norm(x) @ self.head


model = Model()
optimizer = torch.optim.Adam(model.parameters(), settings["learningRate"], betas=(0.9, 0.95))


@torch.no_grad()
def play(secrets, is_greedy):
    """Games side by side: input tokens, targets, log-probs, mask, [rows, LENGTH]; wins, [rows]."""
    rows = len(secrets)
    caches = [[torch.zeros(rows, HEADS, LENGTH, HEAD) for _ in range(2)] for _ in range(LAYERS)]
    tokens, targets = torch.full((rows, LENGTH), BOS), torch.zeros(rows, LENGTH, dtype=torch.long)
    logprobs, mask = torch.zeros(rows, LENGTH), torch.zeros(rows, LENGTH)
    wins, live = torch.zeros(rows), torch.ones(rows, dtype=torch.bool)
    for t in range(LENGTH):
        logits = model(tokens[:, t : t + 1], caches, t)[:, 0]
        if t % 2 == 1:
            continue
        logp = F.log_softmax(logits, -1)
        guess = logits.argmax(-1) if is_greedy else torch.multinomial(logp.exp(), 1)[:, 0]
        targets[live, t], mask[live, t] = guess[live], 1.0
        logprobs[live, t] = logp.gather(1, guess[:, None])[live, 0]
        wins[live & (guess == secrets)] = 1.0
        live &= (guess != secrets) & (guess >= 1) & (guess <= NUMBERS)
        if t + 2 < LENGTH:
            tokens[:, t + 1], tokens[:, t + 2] = guess, torch.where(secrets < guess, LOWER, HIGHER)
    return tokens, targets, logprobs, mask, wins


def train(tokens, targets, old, mask, wins):
    groups = wins.view(TASKS, GROUP)
    std = groups.std(1, keepdim=True, unbiased=False)
    advantages = ((groups - groups.mean(1, keepdim=True)) / (std + 1e-6)).reshape(ROLLOUTS, 1)
    for _ in range(settings["updateEpochs"]):
        logp = F.log_softmax(model(tokens), -1).gather(-1, targets[..., None])[..., 0]
        ratio = (logp - old).exp()
        gains = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
        optimizer.zero_grad()
        (-(gains * mask).sum() / mask.sum()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def deck():
    while True:
        yield from (torch.randperm(NUMBERS) + 1).tolist()


secret, start, learned = deck(), time.perf_counter(), None
for step in range(1, settings["maxSteps"] + 1):
    game = play(torch.tensor([next(secret) for _ in range(TASKS)]).repeat_interleave(GROUP), False)
    if game[4].mean() >= settings["target"] and play(torch.arange(NUMBERS) + 1, True)[4].sum() == NUMBERS:
        learned = step
        break
    train(*game)
print(json.dumps({"seed": seed, "steps": learned, "trainingSeconds": time.perf_counter() - start}))
