from sparseml.pytorch.optim import ScheduledModifierManager

first = """
modifiers:
  - !EpochRangeModifier
    start_epoch: 0.0
    end_epoch: 10.0
"""
second = """
modifiers:
  - !EpochRangeModifier
    start_epoch: 0.0
    end_epoch: 20.0
  - !GMPruningModifier
    params: __ALL_PRUNABLE__
    init_sparsity: 0.05
    final_sparsity: 0.8
    start_epoch: 0.0
    end_epoch: 15.0
    update_frequency: 1.0
"""
manager = ScheduledModifierManager.from_yaml(second)
