#!/bin/sh
auto-round ./model --ignore_layers lm_head mlp
