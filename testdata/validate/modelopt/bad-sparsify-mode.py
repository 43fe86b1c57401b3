import modelopt.torch.sparsity as mts

model = mts.sparsify(model, "magnitude")
