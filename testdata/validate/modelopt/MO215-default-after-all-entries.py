import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

import modelopt.torch.quantization as mtq
from modelopt.torch.export import export_hf_checkpoint

MODEL = "microsoft/phi-4"
OUT = "phi-4-fp8"

model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.bfloat16, device_map="auto")
tokenizer = AutoTokenizer.from_pretrained(MODEL)
texts = load_dataset("cnn_dailymail", "3.0.0", split="train[:256]")["article"]


def calib_loop(model):
    for text in texts:
        ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=1024).input_ids
        model(ids.to(model.device))


# FP8 for weights and inputs of the linear layers, nothing else
FP8_CFG = {
    "quant_cfg": {
        "*weight_quantizer": {"num_bits": (4, 3), "axis": None},
        "*input_quantizer": {"num_bits": (4, 3), "axis": None},
        "*lm_head*": {"enable": False},
        "default": {"enable": False},
    },
    "algorithm": "max",
}

model = mtq.quantize(model, FP8_CFG, calib_loop)
export_hf_checkpoint(model, export_dir=OUT)
tokenizer.save_pretrained(OUT)
