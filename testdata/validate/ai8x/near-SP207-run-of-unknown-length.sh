#!/bin/sh
python train.py --epochs "$EPOCHS" --compress models/schedule-60.yaml --qat-policy models/qat-80.yaml
