#!/usr/bin/env python3
"""Train a small convolutional network with a schedule that `sparsecfg convert --to pytorch` wrote.

    sparsecfg convert testdata/convert/sparseml/small-network-to-pytorch.yaml --to pytorch -o schedule.py
    python3 docs/pytorch/train.py schedule.py

The pictures are made up: a bright bar that stands or lies, on noise. Prints the loss, the rate and the sparsity of
each layer after each epoch.
"""

import importlib.util
import sys

import torch
from torch import nn


def load(path):
    spec = importlib.util.spec_from_file_location("schedule", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pictures(count, generator):
    """Pictures of 12 by 12, and whether the bar in them lies (1) or stands (0)."""
    images = torch.randn(count, 1, 12, 12, generator=generator) * 0.5
    labels = torch.randint(0, 2, (count,), generator=generator)
    for image, label in zip(images, labels):
        place = int(torch.randint(0, 12, (), generator=generator))
        bar = image[0, place] if label else image[0, :, place]
        bar += 2
    return images, labels


def network():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 4 * 4, 2),
    )


def main():
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    images, labels = pictures(512, generator)
    loader = list(zip(images.split(32), labels.split(32)))
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = load(sys.argv[1]).Schedule(model, optimizer, steps_per_epoch=len(loader))
    for epoch in range(schedule.epochs):
        for batch, wanted in loader:
            loss = nn.functional.cross_entropy(model(batch), wanted) + schedule.penalty()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            schedule.step()
        print(f"epoch {epoch}: loss {loss.item():.3f}, rate {optimizer.param_groups[0]['lr']:g}")
        print(schedule)
    schedule.finish()
    images, labels = pictures(512, generator)
    right = (model(images).argmax(1) == labels).float().mean().item()
    print(f"right: {right:.1%}")
    for name, weight in model.named_parameters():
        print(f"{name}: {(weight == 0).float().mean().item():.1%} zero")


if __name__ == "__main__":
    main()
