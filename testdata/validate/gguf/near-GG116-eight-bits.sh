#!/bin/sh
python3 convert_hf_to_gguf.py --outtype=q8_0 --outfile phi.gguf models/phi
