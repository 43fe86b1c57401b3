#!/bin/sh
llama-quantize model.gguf out.gguf 15
