# part: core
class Schedule:
    """Runs the actions of recipe() on a model. Call step() after each optimizer.step()."""

    def __init__(self, model, optimizer, steps_per_epoch, epochs=EPOCHS):
        self.optimizer, self.steps_per_epoch = optimizer, steps_per_epoch
        self.epochs, self.total = math.ceil(epochs), round(epochs * steps_per_epoch)
        self.at = 0  # optimizer steps so far
        self.parameters, self.prunable = {}, set()  # by name; names for __ALL_PRUNABLE__
        prunable = (torch.nn.Linear, torch.nn.Embedding, torch.nn.modules.conv._ConvNd)
        self.modules = dict(model.named_modules())
        for path, module in self.modules.items():
            for name, parameter in module.named_parameters(path, recurse=False):
                self.parameters[plain(name)] = parameter
                if isinstance(module, prunable) and name.endswith("weight"):
                    self.prunable.add(plain(name))
        self.masks = {}  # by parameter, then by action: 1 keeps a weight, 0 masks it
        self.mask = {}  # by parameter: product over all actions
        self.waiting = []  # masks that apply from the next step()
        self.dropping = []  # values that the next step() takes from parameters
        self.thawing = set()  # names that train after the next step()
        self.hooks, self.deviations = {}, {}
        self.history = []  # (step, rates of the groups, sparsities), one per acting step
        self.actions = recipe()
        for action in self.actions:
            action.prepare(self)
        self.act()

    @torch.no_grad()
    def step(self):
        """Masks the weights after an optimizer step, and prepares the next one."""
        for name, owner, mask in self.waiting:
            self.install(name, owner, mask)
        for name, values in self.dropping:
            self.parameters[name].sub_(values)
        for name in self.thawing:
            self.parameters[name].requires_grad_(True)
        self.waiting, self.dropping, self.thawing = [], [], set()
        for name, mask in self.mask.items():
            self.parameters[name].mul_(mask)
        for action in self.actions:
            action.stepped(self)
        self.at += 1
        self.act()

    @torch.no_grad()
    def act(self):
        """Runs the actions that are due between the last optimizer step and the next one."""
        acted, self.changed = False, set()
        for action in self.actions:
            after_the_last = self.at == self.total and action.when.after_steps
            if self.at < self.total or after_the_last:
                due = action.when.due(self.at, self.steps_per_epoch)
                if due:
                    action.act(self, *due)
                    acted = True
        for name in self.changed & self.mask.keys():
            self.parameters[name].mul_(self.mask[name])
        if acted:
            rates = [group["lr"] for group in self.optimizer.param_groups]
            shares = {a.name: a.state["shares"] for a in self.actions if "shares" in a.state}
            self.history.append((self.at, rates, shares))

    def set_mask(self, action, name, mask):
        """Sets the mask of an action. Masks of actions within a step apply after it, so gradients
        are computed for all weights. Others apply when all due actions have read the weights."""
        owner = self.actions.index(action) if ALL_MASKS_HOLD else 0
        if action.when.within_step:
            self.waiting.append((name, owner, mask))
        else:
            self.install(name, owner, mask)
            self.changed.add(name)

    def install(self, name, owner, mask):
        """Replaces the previous mask of an action. None only removes it."""
        masks = self.masks.setdefault(name, {})
        masks.pop(owner, None)
        self.mask.pop(name, None)
        if mask is not None:
            masks[owner] = mask
        if masks:
            self.mask[name] = math.prod(masks.values())
        if MASK_GRADIENTS and name not in self.hooks:
            parameter = self.parameters[name]
            trained = parameter.requires_grad
            self.hooks[name] = parameter.requires_grad_().register_hook(
                lambda gradient: gradient * self.mask[name] if name in self.mask else gradient
            )
            parameter.requires_grad_(trained)

    def weight(self, name):
        """Returns a parameter with all waiting masks applied."""
        weight = self.parameters[name].detach()
        for other, _, mask in self.waiting if ALL_MASKS_HOLD else []:
            weight = weight * mask if other == name and mask is not None else weight
        return weight

    def find(self, action, terms, strict):
        """Returns the names that a selector matches, in the order of the model."""
        terms = terms if isinstance(terms, list) else terms.parameters(self.modules)
        names = set()
        for term in terms:
            taken = [n for n in self.parameters if self.takes(term, n, action.when.within_step)]
            if strict and not taken:
                near = ", ".join(difflib.get_close_matches(term, self.parameters, 3, 0))
                raise ValueError(f"{action.name}: no parameter matches {term}; similar: {near}")
            names.update(taken)
        if terms and not names:
            warnings.warn(f"{action.name}: no parameter matches {terms}; the action has no effect")
        return [name for name in self.parameters if name in names]

    def takes(self, term, name, dotted=False):
        if term == "__ALL__":
            return True
        if term == "__ALL_PRUNABLE__":
            return name in self.prunable
        if term.startswith("re:"):  # a parameter of the model itself may start with a dot
            dot = "." if dotted and "." not in name else ""
            return re.match(term[3:], dot + name) is not None
        if term.startswith("part:"):  # every name that is a substring
            return name in term[5:]
        return name == plain(term)

    def trains(self, name):
        return name in self.thawing or self.parameters[name].requires_grad

    def groups(self, indices):
        """Returns the optimizer's parameter groups with these indices; all if there are none."""
        groups = self.optimizer.param_groups
        found = [group for at, group in enumerate(groups) if not indices or at in indices]
        if not found:
            raise ValueError(f"the optimizer has no parameter group of {indices}")
        return found

    def penalty(self):
        """Returns the sum of the penalties of active regularizers."""
        return sum(action.penalty(self) for action in self.actions)

    def state_dict(self):
        kept = ("at", "masks", "waiting", "dropping", "thawing", "deviations")
        kept = {name: getattr(self, name) for name in kept}
        kept["actions"] = [(action.state, action.when.state) for action in self.actions]
        return copy.deepcopy(kept)

    def load_state_dict(self, state):
        """Restores the state. Learning rates are part of the optimizer's state_dict()."""
        state = copy.deepcopy(state)
        for name, masks in self.masks.items():
            for owner in list(masks):
                self.install(name, owner, None)
        self.at, self.waiting = state["at"], state["waiting"]
        self.dropping, self.thawing = state["dropping"], state["thawing"]
        self.deviations = state["deviations"]
        for action, (own, when) in zip(self.actions, state["actions"]):
            action.state, action.when.state = own, when
        for name, masks in state["masks"].items():
            for owner, mask in masks.items():
                self.install(name, owner, mask.to(self.parameters[name].device))

    def finish(self):
        """Removes the hooks. Masked weights stay zero."""
        for hook in self.hooks.values():
            hook.remove()
        self.masks, self.mask, self.waiting, self.hooks = {}, {}, [], {}

    def __str__(self):
        lines = [f"step {self.at} of {self.total}"]
        for name in self.mask:
            weight = self.parameters[name]
            lines.append(f"  {name}: {(weight == 0).sum().item() / weight.numel():.1%} zero")
        whens = [(action.name, copy.deepcopy(action.when)) for action in self.actions]
        for at in range(self.at + 1, self.total):
            names = [name for name, when in whens if when.due(at, self.steps_per_epoch)]
            if names:
                lines.append(f"next at step {at}: {', '.join(names)}")
                break
        return "\n".join(lines)


def plain(name):
    """Returns a parameter's name without the `module` that wrappers like DataParallel insert."""
    return ".".join(part for part in name.split(".") if part != "module")


class Action:
    """One action of a recipe. `when` defines the steps at which it acts."""

    def __init__(self, name, when):
        self.name, self.when, self.state = name, when, {}

    def prepare(self, schedule):
        """Called before the first step."""

    def act(self, schedule, kind, at):
        """Called when due. `kind` is start, update or end; `at` is the epoch or count of `when`."""

    def stepped(self, schedule):
        """Called after each optimizer step, with masks applied."""

    def penalty(self, schedule):
        return 0.0


