#!/bin/sh
python3 compress_classifier.py --arch resnet20_cifar ../data.cifar10 --compress=names/unknown-weight.yaml --epochs 90
