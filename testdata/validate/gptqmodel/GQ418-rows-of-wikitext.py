from datasets import load_dataset
from gptqmodel import GPTQModel, QuantizeConfig

model_id = "mistralai/Mistral-7B-v0.3"
quant_path = "Mistral-7B-v0.3-gptq-4bit-128g"

# 128 samples, as in the GPTQ paper
calibration = load_dataset("Salesforce/wikitext", "wikitext-2-raw-v1", split="train[:128]")["text"]

quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    sym=True,
    desc_act=False,
    damp_percent=0.05,
)

model = GPTQModel.load(model_id, quant_config)
model.quantize(calibration, batch_size=1)
model.save(quant_path)

model = GPTQModel.load(quant_path)
print(model.tokenizer.decode(model.generate("Uncovering deep insights begins with")[0]))
