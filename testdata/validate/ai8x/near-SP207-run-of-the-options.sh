#!/bin/sh
python train.py --epochs 60 --compress models/schedule-60.yaml --qat-policy models/qat-80.yaml --device MAX78000
