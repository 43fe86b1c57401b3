#!/bin/sh
llama-quantize --tensor-type "blk\.[0-3]\.ffn_down=q8_0" --tensor-type ffn_down=q5_k model.gguf out.gguf Q4_K_M
