import modelopt.torch.quantization as mtq
from modelopt.torch.export import export_hf_checkpoint
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
config = {
    "quant_cfg": [
        {"quantizer_name": "*", "enable": False},
        {"quantizer_name": "*weight_quantizer", "cfg": {"num_bits": (4, 3)}},
        {"quantizer_name": "*layers.0.mlp*", "enable": False},
        {"quantizer_name": "*lm_head*", "enable": False},
        {"quantizer_name": "*embed*", "enable": False},
    ],
}
model = mtq.quantize(model, config)
export_hf_checkpoint(model, export_dir="out")
