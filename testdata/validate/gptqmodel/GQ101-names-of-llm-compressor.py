from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    num_bits=4,
    symmetric=True,
    dampening_frac=0.05,
)
