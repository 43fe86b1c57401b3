#!/bin/bash
set -e
python train.py --recipe recipe.yaml
