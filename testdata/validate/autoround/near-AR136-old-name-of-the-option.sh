#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W4A16 --fp_layers mlp.down_proj --format auto_round
