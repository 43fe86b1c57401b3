#!/bin/sh
auto-round ./model --group_size 64 --asym
