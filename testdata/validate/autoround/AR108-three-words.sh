#!/bin/sh
auto-round ./model --bits 4 --ignore_layers lm_head layers.0.mlp embed.proj --format auto_round
