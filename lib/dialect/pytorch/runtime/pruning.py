# part: Prune
class Prune(Action):
    """Removes the smallest weights: of each parameter the share that the first pair of a selector
    and a function of time says that takes it."""

    def __init__(self, name, when, targets, keep=True, strict=True, together=False, measured=False):
        super().__init__(name, when)
        self.targets, self.keep, self.strict = targets, keep, strict
        self.together = together  # whether all parameters are ranked as one
        self.measured = measured  # whether a course begins with the zeros that are there

    def prepare(self, schedule):
        self.courses = {}
        for terms, course in self.targets:
            for name in schedule.find(self, terms, self.strict):
                self.courses.setdefault(name, course)
        self.courses = {n: course for n, course in self.courses.items() if course is not None}
        if self.measured:
            for name, course in self.courses.items():
                zeros = (schedule.parameters[name] == 0).float().mean().item()
                self.courses[name] = functools.partial(course, zeros=zeros)

    def act(self, schedule, kind, at):
        shares = {n: c(at) if callable(c) else c for n, c in self.courses.items()}
        self.state["shares"] = shares
        for name, mask in self.rank(schedule, shares).items():
            schedule.set_mask(self, name, mask)
        if kind == "end" and not self.keep:
            for name in self.courses:
                schedule.set_mask(self, name, None)

    def rank(self, schedule, shares):
        scores = {name: schedule.weight(name).abs() for name in shares}
        if not self.together:
            return {name: keep_mask(score, shares[name]) for name, score in scores.items()}
        row = torch.cat([score.flatten() for score in scores.values()])
        rows = keep_mask(row, max(shares.values())).split([s.numel() for s in scores.values()])
        return {name: part.view_as(scores[name]) for name, part in zip(scores, rows)}


# part: keep_exactly
def keep_mask(score, share):
    """1 for each element but the `share` of them with the lowest scores, whose number is rounded
    to the nearest. Of equal ones the first in order stay; of too many that are lowest, any."""
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
    """1 for each element above the last one of the `share` of them with the lowest scores, whose
    number is rounded down."""
    count = int(share * score.numel())
    if count < 1:
        return torch.ones_like(score)
    return (score > score.flatten().kthvalue(count).values).to(score.dtype)


# part: Hold
class Hold(Action):
    """Keeps the zeros that are there."""

    def __init__(self, name, when, terms, strict=True):
        super().__init__(name, when)
        self.terms, self.strict = terms, strict

    def prepare(self, schedule):
        self.names = schedule.find(self, self.terms, self.strict)

    def act(self, schedule, kind, at):
        for name in self.names:
            weight = schedule.weight(name)
            schedule.set_mask(self, name, None if kind == "end" else (weight != 0).to(weight.dtype))


