#!/bin/sh
python convert_hf_to_gguf.py models/llama --outtype q8_0 --outfile "$OUT/llama-q8_0.gguf"
llama-imatrix -m "$OUT/llama-q8_0.gguf" -f chats.txt -o "$OUT/llama.imatrix.gguf"
for type in Q4_K_M Q5_K_M; do
  llama-quantize --imatrix "$OUT/llama.imatrix.gguf" "$OUT/llama-q8_0.gguf" "$OUT/llama-$type.gguf" $type
done
