#!/bin/sh
llama-quantize --tensor-type "^output\.weight$=q8_0" model.gguf out.gguf Q4_K_M
