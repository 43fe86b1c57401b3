#!/bin/sh
mlx_lm.convert --hf-path HuggingFaceTB/SmolLM2-135M -q --q-group-size 64 --mlx-path out
