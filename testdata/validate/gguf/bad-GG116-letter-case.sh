#!/bin/sh
python3 convert_hf_to_gguf.py models/phi --outtype BF16 --outfile phi.gguf
