"""The recipes of a project."""
import os

IGNORE = ["lm_head"]


def recipe_of(name):
    return load(os.environ[name])


def load(path):
    with open(path) as file:
        return file.read()
