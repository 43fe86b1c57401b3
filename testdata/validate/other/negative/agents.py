import autogen

config_list = [{"model": "some-model", "api_key": "none"}]
assistant = autogen.AssistantAgent("assistant", llm_config={"config_list": config_list})
