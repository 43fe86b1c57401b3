from transformers import AutoModelForCausalLM, AwqConfig, GPTQConfig

awq = AwqConfig(bits=4, do_fuse=True, fuse_max_seq_len=2048)
gptq = GPTQConfig(bits=4, use_exllama=False)
