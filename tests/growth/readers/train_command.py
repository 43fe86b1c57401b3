"""Commands that train with YAML files in shell scripts."""

FILE = "r.sh"
BEFORE = "#!/bin/sh\npython train.py --qat-policy None --compress s.yaml"
AFTER = "\n"
CONSTRUCTS = {
    "options": " --epochs @",
    "unknown options": " --word@ 1",
    "commands": ("", "python train.py --epochs @ --compress s.yaml --qat-policy None\n", ""),
    "files": ("", "python train.py --compress s@.yaml --qat-policy p@.yaml\n", ""),
    "networks": ("", "python compress_classifier.py -a net@ --compress s.yaml\n", ""),
    "variables": " $a@",
}
