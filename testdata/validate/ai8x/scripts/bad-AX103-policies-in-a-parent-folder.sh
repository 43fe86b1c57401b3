#!/bin/sh
cd "$(dirname "$0")/.." || exit
python train.py --epochs 100 --compress models/schedule-late-start.yaml --qat-policy models/qat-50.yaml "$@"
