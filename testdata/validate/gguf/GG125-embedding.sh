#!/bin/sh
llama-quantize --imatrix phi.imatrix --token-embedding-type iq2_xs phi-F16.gguf phi-IQ2_XS.gguf IQ2_XS
