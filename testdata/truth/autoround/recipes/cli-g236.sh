#!/bin/sh
auto-round ./model --fp_layers lm_head,mlp
