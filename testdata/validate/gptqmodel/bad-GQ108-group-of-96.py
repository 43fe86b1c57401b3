from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=96, method="awq", format="gemm")
