#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-8B -q
