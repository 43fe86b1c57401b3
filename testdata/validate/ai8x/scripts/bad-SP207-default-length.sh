#!/bin/sh
python train.py --qat-policy ../ai8x/models/qat-80.yaml --compress
python train.py --qat-policy models/qat-late.yaml
