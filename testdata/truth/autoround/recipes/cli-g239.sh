#!/bin/sh
auto-round ./model --layer_config '{lm_head:{bits:4}}'
