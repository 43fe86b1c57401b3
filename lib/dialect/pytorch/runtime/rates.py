# part: Rate
class Rate(Action):
    """Sets the learning rate: a number, or a function of the epoch and the steps per epoch."""

    def __init__(self, name, when, rate, groups=()):
        super().__init__(name, when)
        self.rate, self.indices = rate, groups

    def act(self, schedule, kind, at):
        for group in schedule.groups(self.indices):
            rate = self.rate
            group["lr"] = rate(at, schedule.steps_per_epoch) if callable(rate) else rate


# part: WeightDecay
class WeightDecay(Action):
    """Sets the weight decay."""

    def __init__(self, name, when, decay, groups=()):
        super().__init__(name, when)
        self.decay, self.indices = decay, groups

    def act(self, schedule, kind, at):
        for group in schedule.groups(self.indices):
            group["weight_decay"] = self.decay


# part: Trainable
class Trainable(Action):
    """Freezes or unfreezes parameters, and restores the state of its start at its end. A parameter
    that is unfrozen within a step has no gradient in it, so it trains from the next step."""

    def __init__(self, name, when, terms, trainable, strict=True, within_first_step=False):
        super().__init__(name, when)
        self.terms, self.trainable, self.strict = terms, trainable, strict
        self.within_first_step = within_first_step

    def prepare(self, schedule):
        self.names = schedule.find(self, self.terms, self.strict)

    def act(self, schedule, kind, at):
        before = self.state.setdefault("before", {n: schedule.trains(n) for n in self.names})
        within = schedule.at > 0 or self.within_first_step
        for name in self.names:
            trainable = before[name] if kind == "end" else self.trainable
            if trainable and within:
                schedule.thawing.add(name)
                continue
            schedule.thawing.discard(name)
            schedule.parameters[name].requires_grad_(trainable)
            if not trainable:
                schedule.parameters[name].grad = None


# part: TorchScheduler
class TorchScheduler(Action):
    """A torch scheduler. It is built after the first step; until then the rate is `first`. It
    does not step if the end falls exactly on a step."""

    def act(self, schedule, kind, epoch):
        self.state.setdefault("begin", schedule.at)
        groups = schedule.optimizer.param_groups
        exact_end = abs(self.when.end - epoch) <= sys.float_info.epsilon
        builds = "built" not in self.state
        if builds and self.first is not None:
            for group in groups:
                group["lr"] = self.first
        if builds and (schedule.at == 0 or exact_end):
            return
        self.state["built"] = True
        for group in groups:
            group.setdefault("initial_lr", group["lr"])
        if exact_end and kind != "end":
            self.state["held"] = schedule.at  # a rounding error before the end
            return
        at = self.state.get("held", schedule.at)
        late = kind == "end" and (exact_end or not self.steps_late(schedule, at))
        self.turn(groups, schedule, epoch, builds, late, at)


# part: WarmRestarts needs TorchScheduler
class WarmRestarts(TorchScheduler):
    """Cosine annealing from the first scheduler's base rate, by epochs since the start."""

    def __init__(self, name, when, first, rate):
        super().__init__(name, when)
        self.first, self.rate = first, rate

    def steps_late(self, schedule, at):
        return True

    def turn(self, groups, schedule, epoch, builds, late, at):
        for group in [] if late else groups:
            start = self.when.start
            group["lr"] = self.rate(group["initial_lr"], epoch - start if start >= 0 else 0.0)


# part: Decay needs TorchScheduler
class Decay(TorchScheduler):
    """Multiplies the rate by `gamma` every `every` epochs or at the milestones."""

    def __init__(self, name, when, first, gamma, every=None, milestones=()):
        super().__init__(name, when)
        self.first, self.gamma, self.every, self.milestones = first, gamma, every, milestones

    def steps_late(self, schedule, at):
        return round(self.when.end * schedule.steps_per_epoch) >= at

    def turn(self, groups, schedule, epoch, builds, late, at):
        steps, passed = schedule.steps_per_epoch, at - self.state["begin"]
        if self.every is not None:
            period = round(abs(self.every) * steps)
            times = int(not late and passed > 0 and period > 0 and passed % period == 0)
        else:
            marks = [max(round((m - self.when.start) * steps), 0) for m in self.milestones]
            times = 0 if late else marks.count(passed)
            times += marks.count(0) if builds and (passed > 0 or late) else 0
        for group in groups if times else []:
            group["lr"] *= self.gamma**times


# part: Scheduler
class Scheduler(Action):
    """Builds a torch scheduler, which stores the current rate as its base rate."""

    def __init__(self, name, when, first=None, low=None, base=None):
        super().__init__(name, when)
        self.first, self.low, self.base = first, low, base

    def act(self, schedule, kind, at):
        self.state["bases"] = []
        for group in schedule.optimizer.param_groups:
            if self.low is not None:
                group["lr"] = self.low
            if self.base is not None:
                group["initial_lr"] = self.base
            base = group.setdefault("initial_lr", group["lr"])
            self.state["bases"].append(base)
            if self.first is not None:
                group["lr"] = self.first(group["lr"], base)


# part: SchedulerStep needs Scheduler
class SchedulerStep(Action):
    """Sets the rate of a scheduler for an epoch. `number` is its index in construction order."""

    def __init__(self, name, when, number, rate):
        super().__init__(name, when)
        self.number, self.rate = number, rate

    def act(self, schedule, kind, epoch):
        built = [action for action in schedule.actions if isinstance(action, Scheduler)]
        bases = built[self.number].state["bases"]
        for group, base in zip(schedule.optimizer.param_groups, bases):
            group["lr"] = self.rate(base, epoch)


# part: SetParameter
class SetParameter(Action):
    """Sets parameters to a value."""

    def __init__(self, name, when, terms, value, strict=True):
        super().__init__(name, when)
        self.terms, self.value, self.strict = terms, value, strict

    def prepare(self, schedule):
        self.names = schedule.find(self, self.terms, self.strict)

    def act(self, schedule, kind, at):
        for name in self.names:
            parameter = schedule.parameters[name]
            parameter.copy_(torch.as_tensor(self.value, dtype=parameter.dtype))


# part: Regularize
class Regularize(Action):
    """Adds penalties of parameters to the loss in its active epochs."""

    def __init__(self, name, when, penalties):
        super().__init__(name, when)
        self.penalties = penalties

    def prepare(self, schedule):
        self.found = [(schedule.find(self, terms, False), of) for terms, of in self.penalties]

    def penalty(self, schedule):
        if schedule.at // schedule.steps_per_epoch not in self.when.epochs:
            return 0.0
        return sum(of(schedule.parameters[name]) for names, of in self.found for name in names)
