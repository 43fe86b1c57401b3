#!/bin/sh
python3 compress_classifier.py -a resnet18 ../data.imagenet --compress=names/late-pruner.yaml --epochs 30 --lr=0.005 --pretrained
