from auto_gptq import AutoGPTQForCausalLM, BaseQuantizeConfig

config = BaseQuantizeConfig(bits=4, group_size=128, model_name_or_path="./model", model_file_base_name="model")
model = AutoGPTQForCausalLM.from_pretrained("./model", config)
