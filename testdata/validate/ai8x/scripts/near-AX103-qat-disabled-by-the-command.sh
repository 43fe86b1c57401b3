#!/bin/sh
python train.py --epochs 100 --compress models/schedule-late-start.yaml --qat-policy None
