from gptqmodel import QuantizeConfig
from gptqmodel.quantization.config import Fallback

config = QuantizeConfig(bits=4, group_size=64, fallback=Fallback(threshold=0.05))
