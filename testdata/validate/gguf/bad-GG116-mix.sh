#!/bin/sh
python3 convert_hf_to_gguf.py models/phi --outtype q5_k_m --outfile phi.gguf
