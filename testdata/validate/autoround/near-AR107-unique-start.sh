#!/bin/sh
auto-round ./model --ignore_l lm_head
