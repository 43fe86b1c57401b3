#!/bin/sh
auto-round ./model --ignore lm_head
