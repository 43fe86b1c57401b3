#!/bin/sh
llama-quantize model-BF16.gguf model-MXFP4.gguf MXFP4_MOE
