def image(package):
    recipe = f"""FROM python:3
RUN pip install {package}
"""
    return recipe
