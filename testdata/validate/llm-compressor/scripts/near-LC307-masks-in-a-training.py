from sft_trainer import SFTTrainer

mask = """
train_stage:
  pruning_modifiers:
    ConstantPruningModifier:
      targets: ['re:.*q_proj.weight']
"""
SFTTrainer(model="a", recipe=mask).train()
