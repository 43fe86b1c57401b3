#!/bin/sh
llama-quantize --prune-layers 20,21,22,23 --tensor-type 'blk\.(26|27)\.ffn_down=q8_0' model.gguf out.gguf Q4_K_M
