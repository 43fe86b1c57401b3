#!/bin/sh
python train.py --epochs 60 --optimizer Adam --lr 0.001 --deterministic \
  --compress models/schedule-60.yaml --qat-policy models/qat-80.yaml \
  --model ai85cdnet --dataset cats_vs_dogs --device MAX78000 "$@"
