# part: Prune
class Prune(Action):
    """Masks the smallest weights of parameters. `targets` are pairs of a selector and a sparsity
    or a function of time; for each parameter the first matching pair is used."""

    def __init__(self, name, when, targets, **options):
        super().__init__(name, when)
        self.targets = targets
        self.keep = options.get("keep", True)  # keep masks after the end
        self.strict = options.get("strict", True)  # fail if a selector matches nothing
        self.together = options.get("together")  # rank all parameters as one
        self.measured = options.get("measured")  # start from the existing zeros
        self.groups = options.get("groups")  # weight groups; None: single weights
        self.tied = options.get("tied", ())  # parameters that lose the same groups
        self.tie = options.get("tie")  # combines their scores to one
        self.alone = options.get("alone")  # skip what earlier actions prune

    def prepare(self, schedule):
        earlier = [a for a in schedule.actions if self.alone and hasattr(a, "courses")]
        self.courses = {}
        for terms, course in self.targets:
            for name in schedule.find(self, terms, self.strict):
                self.courses.setdefault(name, course)
        for name, course in list(self.courses.items()):
            if course is None or any(name in action.courses for action in earlier):
                del self.courses[name]
        lists = [t if isinstance(t, list) else t.parameters(schedule.modules) for t in self.tied]
        self.tied = [[plain(name) for name in names] for names in lists]
        if self.measured:
            for name, course in self.courses.items():
                zeros = (schedule.parameters[name] == 0).float().mean().item()
                self.courses[name] = functools.partial(course, zeros=zeros)

    def act(self, schedule, kind, at):
        shares = {n: c(at) if callable(c) else c for n, c in self.courses.items()}
        self.state["shares"] = shares
        masks = self.rank(schedule, shares)
        for name, mask in masks.items():
            if mask is not None:
                schedule.set_mask(self, name, mask)
        if kind == "end" and not self.keep:
            for name in self.courses:
                schedule.set_mask(self, name, None)
                if masks.get(name) is not None and self.when.within_step:
                    weight = schedule.parameters[name].detach()
                    schedule.dropping.append((name, weight * (1 - masks[name])))

    def rank(self, schedule, shares):
        scores = {name: schedule.weight(name).abs() for name in shares}
        if self.groups:
            return self.groups.rank(scores, shares, self)
        if not self.together:
            return {name: keep_mask(score, shares[name]) for name, score in scores.items()}
        row = torch.cat([score.flatten() for score in scores.values()])
        rows = keep_mask(row, max(shares.values())).split([s.numel() for s in scores.values()])
        return {name: part.view_as(scores[name]) for name, part in zip(scores, rows)}


# part: PruneInTurns needs Prune
class PruneInTurns(Prune):
    """Resets the momentum of the optimizer when masked weights are restored."""

    def stepped(self, schedule):
        sparse = any(share > 0 for share in self.state.get("shares", {}).values())
        if self.state.get("sparse") and not sparse:
            for state in schedule.optimizer.state.values():
                if state.get("momentum_buffer") is not None:
                    state["momentum_buffer"].zero_()
        self.state["sparse"] = sparse


# part: PruneAnew needs Prune
class PruneAnew(Prune):
    """Ranks all weights each time, including masked ones, whose values are stored."""

    def act(self, schedule, kind, at):
        hidden = self.state.setdefault("hidden", {})
        for name, values in hidden.items():
            schedule.parameters[name].add_(values)
        before = {name: schedule.parameters[name].clone() for name in self.courses}
        super().act(schedule, kind, at)
        for name, weight in before.items():
            hidden[name] = weight * (1 - schedule.mask[name]) if name in schedule.mask else 0


# part: Modules
class Modules:
    """Selects the parameter `tensor` of modules by module name, name pattern and type. With names
    or patterns, types narrow the selection."""

    def __init__(self, tensor, names=(), patterns=(), types=(), excluded=None):
        self.tensor, self.taken = tensor, (names, patterns)
        self.types, self.excluded = types, excluded or {}

    def parameters(self, modules):
        def named(path, names=(), patterns=(), types=()):
            return path in names or any(re.match(pattern, path) for pattern in patterns)

        found = []
        for path, module in modules.items():
            kind, narrow = type(module).__name__, any(self.taken)
            takes = named(path, *self.taken) if narrow else bool(self.types)
            takes = takes and (not self.types or kind in self.types)
            left = named(path, **self.excluded) or kind in self.excluded.get("types", ())
            if takes and not left and getattr(module, self.tensor, None) is not None:
                found.append(f"{path}.{self.tensor}")
        return found


# part: Groups
class Groups:
    """Weights that are removed together: `view` reshapes to (groups, weights of one, groups).
    One-dimensional parameters are skipped, or with `flat` grouped by `view` too."""

    def __init__(self, norm, view, *sizes, flat=False):
        self.norm, self.flat, self.view = norm, flat, lambda weight: view(*sizes, weight)

    def rank(self, weights, shares, action):
        weights = {n: weight for n, weight in weights.items() if self.flat or weight.dim() > 1}
        scores = {name: self.score(weight) for name, weight in weights.items()}
        for tied in action.tied:
            names = [n for n in tied if n in scores and scores[n].numel() > 1]
            if names:
                common = action.tie([scores[name] for name in names])
                scores.update((name, common) for name in names)
        return {name: self.mask(scores[name], shares[name], weights[name]) for name in scores}

    def score(self, weight):
        view = self.view(weight)
        return view.mean(1) if self.norm == "mean" else view.norm(self.norm, 1)

    def mask(self, score, share, weight):
        kept = keep_mask(score, share) if score.numel() > 1 else None
        if kept is None:
            return None
        places = self.view(torch.arange(weight.numel(), device=weight.device).view_as(weight))
        mask = torch.ones_like(weight).flatten()
        mask[places.flatten()] = kept.unsqueeze(1).expand_as(places).flatten()
        return mask.view_as(weight)


# part: filters
def filters(weight):
    return weight.reshape(len(weight), -1, 1)


# part: channels
def channels(weight):
    return weight.transpose(0, 1).reshape(weight.shape[1], -1, 1)


# part: blocks
def blocks(rows, columns, weight):
    """Blocks in memory order, as in SparseML and Distiller. -1 means the whole dimension."""
    rows = weight.shape[0] if rows == -1 else rows
    columns = weight.shape[1] if columns == -1 else columns
    if weight.shape[0] % rows or weight.shape[1] % columns:
        raise ValueError(f"blocks of {rows} by {columns} do not divide {tuple(weight.shape)}")
    if columns > 1:
        size = rows * columns
        return weight.reshape(weight.shape[0] * weight.shape[1] // size, size, -1)
    return weight.reshape(weight.shape[0] // rows, rows, -1)


# part: fours
def fours(weight):
    """Groups of four input channels. An incomplete group is padded with its mean."""
    row = weight.movedim(1, -1) if weight.dim() > 2 else weight
    rest = row.shape[-1] % 4
    if rest:
        more = row[..., -rest:]
        more = more.mean(-1, keepdim=True) if more.is_floating_point() else more[..., :1]
        row = torch.cat([row] + [more] * (4 - rest), -1)
    return row.reshape(-1, 4, 1)


# part: NofM
class NofM:
    """Keeps the `n` largest of every `m` consecutive weights, with input channels last."""

    def __init__(self, n, m):
        self.n, self.m = n, m

    def rank(self, weights, shares, action):
        return {name: self.mask(weight, shares[name]) for name, weight in weights.items()}

    def mask(self, weight, share):
        if share == 0:
            return torch.ones_like(weight)
        if abs(share - (1 - self.n / self.m)) > 0.01:
            raise ValueError(f"{self.n}:{self.m} removes {1 - self.n / self.m}, not {share}")
        row = weight.movedim(1, -1) if weight.dim() == 4 else weight
        rows = row.reshape(-1, self.m)
        lowest = rows.argsort(1)[:, : self.m - self.n]
        mask = torch.ones_like(rows).scatter_(1, lowest, 0).view(row.shape)
        return mask.movedim(-1, 1) if weight.dim() == 4 else mask


# part: Threshold
class Threshold(Action):
    """Masks weights that are not above a limit: a number, a function of the epoch, or a multiple
    of the standard deviation of the parameter at its first use."""

    def __init__(self, name, when, targets, relative=False):
        super().__init__(name, when)
        self.targets, self.relative = targets, relative

    def prepare(self, schedule):
        self.limits = {}
        for terms, limit in self.targets:
            for name in schedule.find(self, terms, False):
                self.limits.setdefault(name, limit)

    def act(self, schedule, kind, at):
        for name, limit in self.limits.items():
            weight = schedule.weight(name)
            limit = limit(at) if callable(limit) else limit
            if self.relative:
                limit *= schedule.deviations.setdefault(name, weight.std().item())
            schedule.set_mask(self, name, (weight.abs() > limit).to(weight.dtype))


# part: keep_exactly
def keep_mask(score, share):
    """Returns 0 for the fraction `share` of elements with the lowest scores, and 1 for the others.
    The number of zeros is rounded to the nearest. Ties keep the first elements in order, or
    random ones if all of them have the lowest score."""
    count = round(score.numel() * share)
    mask = torch.ones_like(score)
    if count < 1 or not 0 < share <= 1:
        return mask
    limit = score.flatten().kthvalue(count).values
    if limit > score.min():
        mask = (score > limit).to(score.dtype)
        ties = (score == limit).nonzero()
        ties = ties[: int((mask == 0).sum()) - count]
        mask[tuple(ties.t())] = 1
    else:
        ties = (score == limit).nonzero()
        order = list(range(len(ties)))
        random.Random(42).shuffle(order)
        mask[tuple(ties[order[:count]].t())] = 0
    return mask


# part: keep_above
def keep_mask(score, share):
    """Returns 1 for elements above the highest score among the fraction `share` with the lowest
    scores, and 0 for the others. The number is rounded down."""
    count = int(share * score.numel())
    if count < 1:
        return None  # keep the existing mask
    return (score > score.flatten().kthvalue(count).values).to(score.dtype)


# part: Hold
class Hold(Action):
    """Keeps existing zeros."""

    def __init__(self, name, when, terms, strict=True):
        super().__init__(name, when)
        self.terms, self.strict = terms, strict

    def prepare(self, schedule):
        self.names = schedule.find(self, self.terms, self.strict)

    def act(self, schedule, kind, at):
        for name in self.names:
            weight = schedule.weight(name)
            schedule.set_mask(self, name, None if kind == "end" else (weight != 0).to(weight.dtype))


