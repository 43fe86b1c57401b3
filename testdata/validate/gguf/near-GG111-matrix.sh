#!/bin/sh
llama-quantize --imatrix m.dat --tensor-type attn_q=iq2_xs model.gguf out.gguf Q4_K_M
