#!/bin/sh
auto-round ./model --layer_config '{.*mlp.*:{bits:8,sym:False}}'
