#!/bin/sh
python train.py --epochs 60 --nas --nas-policy models/nas-late.yaml --qat-policy None
