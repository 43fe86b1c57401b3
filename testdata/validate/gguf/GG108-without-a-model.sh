#!/bin/sh
llama-quantize --tensor-type "attn_(q|k|v)=q8_0" model.gguf out.gguf F16
