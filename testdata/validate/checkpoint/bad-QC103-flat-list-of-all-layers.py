from transformers import AutoModelForCausalLM, GPTQConfig

layers = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj", "mlp.up_proj",
          "mlp.gate_proj", "mlp.down_proj"]
config = GPTQConfig(bits=4, dataset="c4", modules_in_block_to_quantize=layers)
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B", quantization_config=config)
