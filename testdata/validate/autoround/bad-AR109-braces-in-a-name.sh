#!/bin/sh
auto-round ./model --layer_config '{layers.{0,1}.mlp:{bits:8}}'
