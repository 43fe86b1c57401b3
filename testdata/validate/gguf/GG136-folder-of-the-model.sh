#!/bin/sh
llama-quantize --allow-requantize models/my-model.q5_0.gguf models/my-model.q8_0.gguf q8_0
