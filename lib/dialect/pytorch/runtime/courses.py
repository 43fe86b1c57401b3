# part: ramp
def ramp(shape, start, end, first, last, epoch):
    """Interpolates from `first` at epoch `start` to `last` at epoch `end`."""
    way = (epoch - start) / (end - start)
    shapes = {"linear": lambda: way, "cubic": lambda: 1 - (1 - way) ** 3}
    shapes["inverse_cubic"] = lambda: 1 - (1 - way) ** (1 / 3)
    way = shapes[shape]()
    if way <= sys.float_info.epsilon:
        return first
    return last if way >= 1 - sys.float_info.epsilon else way * (last - first) + first


# part: power
def power(start, end, first, last, exponent, decays, epoch):
    """Interpolates with a power of the elapsed fraction, or of the remaining one if `decays`."""
    way = (epoch - start) / (end - start)
    way = (way - 1) ** exponent + 1 if decays else way**exponent
    return first + (last - first) * way


# part: agp
def agp(start, epochs, first, last, epoch):
    """Automated gradual pruning: a cubic ramp in whole epochs."""
    return last + (first - last) * (1.0 - (epoch - start) / epochs) ** 3


# part: alternate
def alternate(start, end, every, share, epoch):
    """Alternates between 0 and `share` every `every` epochs, and ends with `share`."""
    dense = (epoch - start) // every % 2 == 0 and end - every > epoch
    return 0.0 if dense else share


# part: stairs
def stairs(first, steps, epoch):
    """Returns the value of the last (epoch, value) step that has been reached."""
    return ([first] + [value for begin, value in steps if epoch >= begin])[-1]


# part: bounded
def bounded(low, high, share):
    """Limits a fraction to the bounds, and to 0 to 1."""
    share = low if low is not None and low > share else share
    share = high if high is not None and share > high else share
    return min(share, 1.0) if share > 0 else 0.0




# part: linear
def linear(start, end, first, last, epoch):
    """Interpolates linearly, and extrapolates after epoch `end`."""
    return first + (epoch - start) / (end - start) * (last - first)


# part: cosine
def cosine(start, end, first, last, epoch):
    """Interpolates along half a period of a cosine."""
    way = (epoch - start) / (end - start)
    if last < first:
        return (first - last) / 2 * (math.cos(math.pi * way) + 1) + last
    return (last - first) / 2 * (math.cos(math.pi * way + math.pi) + 1) + first


# part: cycle
def cycle(start, end, epochs, high, low, epoch, steps):
    """Falls from `high` to `low` in each cycle of `epochs`; the last cycle may be shorter."""
    length, total = epochs * steps, end * steps - start * steps
    passed = (epoch - start) * steps
    if passed > int(total / length) * length:
        length = total % length
    return high - passed % length / (length - 1) * (high - low)


# part: restarts
def restarts(epochs, growth, low, base, epoch):
    """Same as torch's CosineAnnealingWarmRestarts."""
    cycle = epochs
    if epoch >= epochs and growth == 1:
        epoch %= epochs
    elif epoch >= epochs:
        number = int(math.log(epoch / epochs * (growth - 1) + 1, growth))
        epoch -= epochs * (growth**number - 1) / (growth - 1)
        cycle = epochs * growth**number
    return low + (base - low) * (1 + math.cos(math.pi * epoch / cycle)) / 2


# part: triangles
def triangles(low, high, up, down, mode, gamma, by_cycle, epoch):
    """Same as torch's CyclicLR."""
    size = up + down
    cycle = math.floor(1 + epoch / size)
    x, ratio = 1 + epoch / size - cycle, up / size
    height = (high - low) * (x / ratio if x <= ratio else (x - 1) / (ratio - 1))
    if mode == "triangular2":
        height *= 1 / 2.0 ** (cycle - 1)
    elif mode == "exp_range":
        height *= gamma ** (cycle if by_cycle else epoch)
    return low + height


# part: one_cycle
def one_cycle(high, epochs, up, cosine, first_divisor, last_divisor, three, epoch):
    """Same as torch's OneCycleLR."""
    first = high / first_divisor
    phases = [(up * epochs - 1, first, high)]
    if three:
        phases.append((2 * up * epochs - 2, high, first))
    phases.append((epochs - 1, first if three else high, first / last_divisor))
    if epoch > epochs:
        raise ValueError(f"OneCycleLR ends after {epochs} epochs")
    start = 0
    for end, begin, goal in phases[:-1]:
        if epoch <= end:
            break
        start = end
    else:
        end, begin, goal = phases[-1]
    way = (epoch - start) / (end - start)
    if cosine:
        return goal + (begin - goal) / 2 * (math.cos(math.pi * way) + 1)
    return (goal - begin) * way + begin


# part: baidu
def baidu(q, offset, steeper, start, end, every, epoch, slope=None):
    """Threshold that rises in two linear phases, the second `steeper` times as steep."""
    ramp = offset + start
    if slope is None:
        slope = 2 * q * every / (2 * (ramp - start) + 3 * (end - ramp))
    if epoch < ramp:
        return slope * (epoch - start + 1) / every
    return (slope * (ramp - start + 1) + slope * steeper * (epoch - ramp + 1)) / every


# part: lasso
def lasso(strength, group, weight):
    """Returns the sum of the norms of the groups of a weight."""
    rows = {"2D": lambda: weight.flatten(2).flatten(0, 1), "4D": lambda: weight.flatten()[None]}
    rows.update({"3D": lambda: weight.flatten(1), "Filters": lambda: weight.flatten(1)})
    rows.update({"Rows": lambda: weight, "Cols": lambda: weight.t()})
    if group == "Channels":
        return channel_norms(weight).sum() * strength
    return sum(rows[each]().norm(2, 1).sum() for each in group.split("+")) * strength


# part: channel_norms
def channel_norms(weight):
    return (weight.flatten(2).pow(2).sum(2).sum(0) + 1e-8).sqrt()
