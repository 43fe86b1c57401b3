import modelopt.torch.sparsity as mts

model = mts.sparsify(model, [("sparse_magnitude", {"nn.Linear": {"*gate*": None}})])
