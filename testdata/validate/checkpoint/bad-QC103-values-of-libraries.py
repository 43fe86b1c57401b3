from transformers import BitsAndBytesConfig, HqqConfig

four_bits = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf5")
seven_bits = HqqConfig(nbits=7)
