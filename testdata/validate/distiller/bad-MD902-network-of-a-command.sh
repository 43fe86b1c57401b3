#!/bin/sh
python3 compress_classifier.py --arch resnet18 ../data.imagenet --compress=names/unknown-weight.yaml --epochs 90
