#!/bin/sh
auto-round ./model --layer_config '{down_proj:{bits:8}}'
