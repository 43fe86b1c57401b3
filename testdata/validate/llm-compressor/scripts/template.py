from llmcompressor import oneshot

template = """
quant_stage:
  quant_modifiers:
    GPTQModifier:
      ignore: ["lm_head"]
      dampening_frac: $dampening
      config_groups:
        group_0:
          targets: ["Linear"]
          weights: {{num_bits: {bits}, type: int, strategy: channel}}
"""
oneshot(model="a", recipe=template.format(bits=4))
other = """
{name}_stage:
  {name}_modifiers:
    - GPTQModifier: {bits}
"""
