#!/bin/sh
mlx_lm.convert --hf-path somebody/model -q --q-bits 3 --quant-predicate mixed_4_6 --mlx-path out
