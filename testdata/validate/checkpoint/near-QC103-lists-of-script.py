from transformers import AutoModelForCausalLM, GPTQConfig

config = GPTQConfig(bits=4, dataset="c4", modules_in_block_to_quantize=[["mlp.gate_proj", "mlp.up_proj"]])
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B", quantization_config=config)
