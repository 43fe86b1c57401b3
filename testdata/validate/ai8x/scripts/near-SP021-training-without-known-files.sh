#!/bin/sh
python train.py --epochs 100 --compress policies/missing.yaml --qat-policy "$POLICY"
python train.py --qat-policy models/qat-80.yaml --evaluate -8
echo python train.py --epochs 2 --compress models/schedule-60.yaml --qat-policy models/qat-80.yaml
