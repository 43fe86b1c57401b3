def configure():
    config_list = [1, 2]
    return config_list
