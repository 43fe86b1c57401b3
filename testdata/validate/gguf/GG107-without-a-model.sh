#!/bin/sh
llama-quantize --tensor-type ffn_down=q5_k --tensor-type "blk\.[0-3]\.ffn_down=q8_0" model.gguf out.gguf Q4_K_M
