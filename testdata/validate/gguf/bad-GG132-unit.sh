#!/bin/sh
python convert_hf_to_gguf.py models/phi --split-max-size 2gb --outfile phi.gguf
