from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(bits=8, group_size=128, method="awq", format="gemm")
