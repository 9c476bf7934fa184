"""Small networks that tests and measurements compile."""

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    """A layer of a transformer, with attention written out."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm, self.norm_after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project, self.gather = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.project(self.norm(x)).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5
        seen = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        weights = scores.masked_fill(~seen, float("-inf")).softmax(-1)
        x = x + self.gather((weights @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(F.gelu(self.widen(self.norm_after(x))))


class Transformer(nn.Module):
    def __init__(self, words=100, width=64, length=33):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.place = nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.Sequential(Block(width, 4), Block(width, 4))
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, tokens, wanted):
        x = self.norm(self.blocks(self.embed(tokens) + self.place))
        return F.cross_entropy(self.out(x).flatten(0, 1), wanted.flatten())


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm_first = nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.second = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.norm_second, self.third = nn.BatchNorm2d(32), nn.Conv2d(32, 32, 3, padding=1)
        self.groups, self.out = nn.GroupNorm(4, 32), nn.Linear(32, 10)

    def forward(self, x, wanted):
        x = F.max_pool2d(F.relu(self.norm_first(self.first(x))), 2)
        x = F.silu(self.norm_second(self.second(x)))
        x = x + F.relu(self.groups(self.third(x)))
        return F.cross_entropy(self.out(x.mean((2, 3))), wanted)
