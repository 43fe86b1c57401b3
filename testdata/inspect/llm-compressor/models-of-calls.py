import os

import transformers
from adapters import wrap
from llmcompressor import create_session
from llmcompressor.transformers import Trainer
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier
from transformers import AutoModelForCausalLM, Qwen3_5ForCausalLM

recipe = QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"])

oneshot(model="org/a-string", recipe=recipe)
oneshot(transformers.AutoModelForImageTextToText.from_pretrained("org/first-argument"), recipe=recipe)
oneshot(model=Qwen3_5ForCausalLM.from_pretrained("org/named-class"), recipe=recipe)
Trainer(model=AutoModelForCausalLM.from_pretrained("org/trainer"), recipe=recipe)
create_session().initialize(model=AutoModelForCausalLM.from_pretrained("org/session"), recipe=recipe)

for name in ("org/first-round", "org/second-round"):
    oneshot(model=name, recipe=recipe)

model = AutoModelForCausalLM.from_pretrained("org/kept", trust_remote_code=True).to("cuda")
model.eval()
model.generation_config.do_sample = True
print(model.get_memory_footprint())
model = oneshot(model=model, recipe=recipe)

oneshot(model=wrap(model), recipe=recipe)
oneshot(model=os.environ["MODEL"], recipe=recipe)
oneshot(model=AutoModelForCausalLM.from_pretrained("org/other-layers", num_hidden_layers=2), recipe=recipe)
model.lm_head = wrap
oneshot(model=model, recipe=recipe)
oneshot(recipe=recipe)
