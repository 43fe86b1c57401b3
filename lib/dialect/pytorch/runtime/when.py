# part: Every
class Every:
    """Due at the first step at or after epoch `start` (-1: immediately), then whenever `every`
    epochs have passed (-1: each step; None: never again), last at epoch `end` (-1: no end)."""

    within_step, after_steps = True, False

    def __init__(self, start, end=-1.0, every=None):
        self.start, self.end, self.every = start, end, every
        self.state = {"last": None, "over": False}

    def due(self, step, steps):
        epoch, last = step // steps + step % steps / steps, self.state["last"]
        ends = 0 <= self.end <= epoch
        if last is None:
            kind = "start" if self.start == -1 or 0 <= self.start <= epoch else None
        elif ends:
            kind = "end"
        else:
            ready = self.every is not None and (self.every <= 0 or epoch >= last + self.every)
            kind = "update" if ready else None
        if kind is None or self.state["over"]:
            return None
        self.state = {"last": epoch, "over": ends}
        return kind, epoch


# part: EachStep
class EachStep:
    """Due at each step from epoch `start` to before epoch `end` (-1: to the last step)."""

    within_step, after_steps = True, False

    def __init__(self, start, end):
        self.start, self.end, self.state = start, end, {}

    def due(self, step, steps):
        epoch = step // steps + step % steps / steps
        over = 0 <= self.end <= epoch
        return ("update", epoch) if 0 <= self.start <= epoch and not over else None


# part: Epochs
class Epochs:
    """Due before the first step of these epochs, and before every `within`-th step in them."""

    within_step, after_steps = False, False

    def __init__(self, epochs, within=0, late=False):
        self.epochs, self.within, self.late, self.state = set(epochs), within, late, {}

    def due(self, step, steps):
        epoch, batch = divmod(step, steps)
        begins = batch == 0 and not (self.late and epoch == min(self.epochs))
        again = batch > 0 and self.within > 0 and step % self.within == 0
        due = epoch in self.epochs and (begins or again or (self.late and step == 1))
        return ("update", epoch) if due else None


# part: AfterEpochs
class AfterEpochs:
    """Due after the last step of these epochs. Reports the following epoch."""

    within_step, after_steps = False, True

    def __init__(self, epochs):
        self.epochs, self.state = set(epochs), {}

    def due(self, step, steps):
        epoch, batch = divmod(step, steps)
        return ("update", epoch) if batch == 0 and epoch - 1 in self.epochs else None


# part: Steps
class Steps:
    """Due after `first` steps or epochs, then every `every` of them, `times` times in total."""

    within_step, after_steps = False, True

    def __init__(self, first, every, times, lag=0, of_epochs=False):
        self.first, self.every, self.times = first, max(every, 1), times
        self.lag, self.of_epochs, self.state = lag, of_epochs, {}

    def due(self, step, steps):
        unit = steps if self.of_epochs else 1
        times, rest = divmod(step - self.first * unit, self.every * unit)
        return ("update", times + 1 - self.lag) if rest == 0 and 0 <= times < self.times else None


