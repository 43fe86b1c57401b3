#!/usr/bin/env python3
"""Time and memory for inputs that grow: each is doubled until it has about a mebibyte or passes a named limit.

    growth.py <sparsecfg> [part of a name]
    growth.py --every-command <sparsecfg> [part of a name]
    growth.py --every-kind [--commands] <sparsecfg> [part of a name]

Prints for each input what the largest took and by how much both grew with the last doubling, and ends with 1 if any
takes more than a second or 64 MiB, or grows by more than 2.3 times. What takes less than a twentieth of a second or
16 MiB is too small to be compared. With --every-command each of the largest inputs goes through all commands, and the
runs are printed that take more than a second or 64 MiB, or that crash. Models that grow come last: recipes of a few
lines for models of tens of thousands of modules. Takes the release build.

With --every-kind, each list, mapping and chain of the seeds in tests/growth/repetitions.py is repeated until the file
has 64 KiB, 256 KiB, 1 MiB and 4 MiB. Prints the time and the memory per MiB of the largest input, and fails if a kind takes more
than a second per MiB or grows faster than its input. Larger inputs are skipped if one takes more than three seconds. With
--commands, every command reads the kinds of recipes, up to 1 MiB.
"""

import argparse
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "growth"))
from repetitions import EVERY_COMMAND, every_kind

LARGEST = 1 << 20
HEAD = "training_modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 100.0\n"
MASK = HEAD + "- !ConstantPruningModifier\n  start_epoch: 0.0\n  params:\n"
NAMES = [f"layers.{layer}.experts.{expert}.{part}.weight" for layer in range(40) for expert in range(100)
         for part in ("up", "down")]


def lines(each, head=HEAD, tail=""):
    return lambda n: head + "".join(each(at) for at in range(n)) + tail


def modifiers(body):
    return lines(lambda at: "- !" + body.replace("@", str(at)))


def pruner(at, more=""):
    return (f"- !GMPruningModifier\n  params: [p{at}]\n  init_sparsity: 0.05\n  final_sparsity: 0.8\n  start_epoch: 0.0\n"
            f"  end_epoch: 50.0\n  update_frequency: 1.0\n{more}")


def patterns(each):
    return lines(lambda at: "  - 're:" + each.replace("@", str(at)) + "'\n", MASK)


def nni(each):
    return lines(lambda at: each.replace("@", str(at)), "config_list:\n")


def stages(modifier):
    return lines(lambda at: f"s{at}_stage:\n  a_modifiers:\n{modifier.replace('@', str(at))}\n", "")


def targets_and_ignored(n):
    text = "s_stage:\n  a_modifiers:\n    QuantizationModifier:\n      scheme: W4A16\n"
    for field, stem in (("targets", "x"), ("ignore", "y")):
        text += f"      {field}:\n" + "".join(f"      - re:.*{stem}{at}.*\n" for at in range(n))
    return text


def misspelt_variables(n):
    return "".join(f"variable{at}: {at}\n" for at in range(n)) + HEAD + "".join(
        f"- !SetLearningRateModifier\n  start_epoch: eval(varible{at}x)\n  learning_rate: 0.1\n" for at in range(n // 2))


ACTION = ('{"effect":{"kind":"SetLearningRate","rate":0.1},"cadence":{"kind":"since_last_update","start":%d.0,"end":-1.0},'
          '"origin":{"class":"SetLearningRateModifier","ordinal":1}}')
RATE = "LearningRateFunctionModifier\n  lr_func: linear\n  init_lr: 0.1\n  final_lr: 0.01\n  start_epoch: 0.@1\n  end_epoch: 90.0\n"
LONG = lines(lambda at: pruner(at).replace("50.0", "1000000000.0").replace(f"[p{at}]", f"[p{at}.weight]"),
             HEAD.replace("100.0", "1000000000.0"))
STEPS = lines(lambda at: f"- !LearningRateModifier\n  start_epoch: {at}00000.0\n  end_epoch: {at + 1}00000.0\n  init_lr: 0.1\n"
              "  lr_class: ExponentialLR\n  lr_kwargs: {gamma: 0.99}\n", HEAD.replace("100.0", "1000000000.0"))
ENTRIES = nni("- {op_names: [l@], sparse_ratio: 0.5}\n")
EXCLUSIONS = nni("- {op_types: [Linear], exclude_op_names: [l@], sparse_ratio: 0.5}\n")
STAGES = stages("    GPTQModifier: {targets: Linear, scheme: W4A16}")
SLOW = patterns("([a-z_.0-9]+)+@!")
INVISIBLE = lines(lambda at: "# \u202e\n")
SEVERAL_INVISIBLE = lines(lambda at: f"# {chr(0x200B + at % 5)}\n")
VALIDATE = ["validate"]
PARAMS = ["validate", "--params", "names.txt"]
MODULES = ["validate", "--modules", "modules.tsv"]
FEW = ["validate", "--params", "few.txt"]  # so few that what is misspelt is compared with each of them
# A name, the command, the text of n parts.
INPUTS = [
    ("pruners", VALIDATE, lines(pruner)),
    ("pruners, json", ["validate", "--format", "json"], lines(pruner)),
    ("pruners, names", PARAMS, lines(pruner)),
    ("pruners, normalize", ["normalize"], lines(pruner)),
    ("pruners, to nni", ["convert", "--to", "nni", "--allow-loss"], lines(pruner)),
    ("pruners, to distiller", ["convert", "--to", "distiller", "--allow-loss"], lines(pruner)),
    ("pruners, to ir", ["convert", "--to", "ir"], lines(pruner)),
    ("pruners, to pytorch", ["convert", "--to", "pytorch", "--allow-loss"], lines(pruner)),
    ("pruners, timeline", ["timeline", "--steps-per-epoch", "2"], lines(pruner)),
    ("pruners, summary", ["timeline", "--steps-per-epoch", "2", "--summary"], lines(pruner)),
    ("pruners, svg", ["timeline", "--steps-per-epoch", "2", "--format", "svg"], lines(pruner)),
    ("pruners, inspect", ["inspect"], lines(pruner)),
    ("pruners, rescale", ["rescale", "--epochs", "50"], lines(pruner)),
    ("pruners, html", ["timeline", "--steps-per-epoch", "2", "--format", "html"], lines(pruner)),
    ("pruners, diff", ["diff", "input.yaml"], lines(pruner)),
    ("pruners, compose", ["compose", "input.yaml"], lines(pruner)),
    ("pruners, match", ["match", "--params", "names.txt"], lines(pruner)),
    ("long pruners, svg", ["timeline", "--steps-per-epoch", "100", "--format", "svg"], LONG),
    ("long pruners, to nni", ["convert", "--to", "nni", "--allow-loss", "--steps-per-epoch", "100"], LONG),
    ("long pruners, diff", ["diff", "input.yaml"], LONG),
    ("long schedulers, summary", ["timeline", "--steps-per-epoch", "100", "--summary"], STEPS),
    ("milestones, timeline", ["timeline", "--steps-per-epoch", "1"], lambda n: HEAD.replace("100.0", f"{10 * n}.0") +
     "- !LearningRateModifier\n  start_epoch: 0.0\n  init_lr: 0.1\n  lr_class: MultiStepLR\n  lr_kwargs: {gamma: 0.999, milestones: ["
     + ", ".join(str(10 * at) for at in range(1, n)) + "]}\n"),
    ("milestones of Distiller's, timeline", ["timeline", "--steps-per-epoch", "1", "--initial-lr", "0.1"], lambda n:
     "version: 1\nlr_schedulers:\n  s: {class: MultiStepMultiGammaLR, milestones: ["
     + ", ".join(str(10 * at) for at in range(1, n + 1)) + "], gammas: [" + ", ".join("0.999" for _ in range(n)) + "]}\n"
     f"policies:\n- {{lr_scheduler: {{instance_name: s}}, starting_epoch: 0, ending_epoch: {10 * n}, frequency: 1}}\n"),
    ("unknown fields", VALIDATE, lines(lambda at: pruner(at, "  strange: 1\n"))),
    ("unknown fields, fixes", ["validate", "--diff", "--unsafe-fixes"], lines(lambda at: pruner(at, "  strange: 1\n"))),
    ("constant masks", VALIDATE, modifiers("ConstantPruningModifier\n  params: [p@]\n  start_epoch: 1.0\n")),
    ("overlapping rates", VALIDATE, modifiers(RATE)),
    ("overlapping rates, sarif", ["validate", "--format", "sarif"], modifiers(RATE)),
    ("quantizers", VALIDATE, modifiers("QuantizationModifier\n  start_epoch: 1.0\n")),
    ("quantizers, to distiller", ["convert", "--to", "distiller", "--allow-loss"],
     modifiers("QuantizationModifier\n  start_epoch: 1.0\n")),
    ("quantizers, to ir", ["convert", "--to", "ir"], modifiers("QuantizationModifier\n  start_epoch: 1.0\n")),
    ("unknown modifiers", VALIDATE, modifiers("Strange@Modifier\n  start_epoch: 1.0\n")),
    ("chained variables", VALIDATE, lambda n: "v0: 1\n" + "".join(f"v{at}: eval(v{at - 1}+1)\n" for at in range(1, n)) + HEAD),
    ("overflowing variables", VALIDATE,
     lambda n: "v0: 1.0e+300\n" + "".join(f"v{at}: eval(v{at - 1}*v{at - 1})\n" for at in range(1, n)) + HEAD),
    ("misspelt variables", VALIDATE, misspelt_variables),
    ("misspelt variables, fixes", ["validate", "--diff", "--unsafe-fixes"], misspelt_variables),
    ("keys", VALIDATE, lines(lambda at: f"k{at}: {at}\n")),
    ("repeated keys", VALIDATE, lines(lambda at: "k: 1\n")),
    ("accepted findings", VALIDATE, lines(lambda at: f"# sparsecfg: ignore[SP202] x{at}\n", "", HEAD)),
    ("tag directives", VALIDATE, lines(lambda at: f"%TAG !a{at}! b\n", "", "---\n" + HEAD)),
    ("anchors and merges", VALIDATE, lines(lambda at: f"a{at}: &a{at} {{<<: {'*a' + str(at - 1) if at else '{}'}, k{at}: 1}}\n")),
    ("aliases", VALIDATE, lambda n: "x: &x 1\nl: [" + "*x, " * n + "1]\n" + HEAD),
    ("invisible characters", VALIDATE, INVISIBLE),
    ("invisible characters, normalize", ["normalize"], INVISIBLE),
    ("invisible characters, fixes", ["validate", "--diff", "--unsafe-fixes"], SEVERAL_INVISIBLE),
    ("invisible characters, json", ["validate", "--format", "json"], SEVERAL_INVISIBLE),
    ("sections of Distiller's", ["validate", "--from", "distiller"], lines(lambda at: f"k{at}: 1\n", "version: 1\npruners: {}\n")),
    ("pruners of Distiller's", ["validate", "--from", "distiller"],
     lines(lambda at: f"  p{at}: {{class: SensitivityPruner, sensitivities: {{a{at}: 0.5}}}}\n", "version: 1\npruners:\n")),
    ("numbers for NNI", VALIDATE, lambda n: "config_list: [" + "1," * n + "1]\n"),
    ("entries for NNI", VALIDATE, ENTRIES),
    ("entries for NNI, to sparseml", ["convert", "--to", "sparseml", "--epochs", "10", "--allow-loss"],
     ENTRIES),
    ("entries for NNI, normalize", ["normalize"], ENTRIES),
    ("entries for NNI, to ir", ["convert", "--to", "ir"], ENTRIES),
    ("exclusions for NNI, to nni", ["convert", "--to", "nni"], EXCLUSIONS),
    ("exclusions for NNI, diff", ["diff", "input.yaml"], EXCLUSIONS),
    ("exclusions for NNI, to llm-compressor", ["convert", "--to", "llm-compressor", "--allow-loss"],
     EXCLUSIONS),
    ("stages of llm-compressor", VALIDATE, STAGES),
    ("stages of llm-compressor, modules", MODULES, STAGES),
    ("schemes of llm-compressor by patterns", VALIDATE, stages("    GPTQModifier: {targets: 're:.*layers[.]@[.].*', scheme: W4A16}")),
    ("schemes of llm-compressor by names", VALIDATE, stages("    GPTQModifier: {targets: l@, scheme: W4A16}")),
    ("targets and ignored layers", VALIDATE, targets_and_ignored),
    ("targets and ignored layers, modules", MODULES, targets_and_ignored),
    ("targets and ignored layers, diff", ["diff", "input.yaml"], targets_and_ignored),
    ("targets and ignored layers, to ir", ["convert", "--to", "ir"], targets_and_ignored),
    ("groups of llm-compressor", VALIDATE, lines(
        lambda at: f"        g{at}: {{targets: ['re:.*part{at}.*'], weights: {{num_bits: {4 if at % 2 else 8}}}}}\n",
        "s_stage:\n  a_modifiers:\n    QuantizationModifier:\n      config_groups:\n")),
    ("masks of llm-compressor", VALIDATE, lambda n: "s_stage:\n  a_modifiers:\n" + "".join(
        f"    {name}:\n{more}      targets:\n" + "".join(f"      - re:.*{stem}{at}.*\n" for at in range(n))
        for name, more, stem in (("MagnitudePruningModifier", "      init_sparsity: 0.0\n      final_sparsity: 0.5\n", "x"),
                                 ("ConstantPruningModifier", "", "y")))),
    ("actions of a schedule", VALIDATE, lambda n: '{"format":1,"dialect":"sparseml","actions":[' + ",".join(
        ACTION % at for at in range(1, n + 1)) + "]}"),
    ("patterns", PARAMS, patterns("layers[.]@[.].*weight")),
    ("misspelt names", FEW, lines(lambda at: f"  - model.layrs.{at // 8}.prt{at % 8}.wight\n", MASK)),
    ("misspelt names for NNI", MODULES, nni("- {op_names: [layr.@.qprj], sparse_ratio: 0.5}\n")),
    ("misspelt types for NNI", MODULES, nni("- {op_types: [Linaer], sparse_ratio: 0.5}\n")),
    ("misspelt names of quantizers", MODULES, modifiers("QuantizationModifier\n  start_epoch: 1.0\n  ignore: [layr.@.q_proj]\n")),
    ("misspelt patterns", FEW, patterns("layers[.]@[.]parrt@.*")),
    ("alternatives", PARAMS, lambda n: patterns("|".join(f".*{at}x" for at in range(min(n, 900))))(max(1, n // 900))),
    ("different alternatives", PARAMS, lambda n: patterns("|".join(f".*@[.]{at}" for at in range(100)))(max(1, n // 100))),
    ("slow patterns, no names", VALIDATE, SLOW),
    ("slow patterns", PARAMS, SLOW),
    ("slow patterns, match", ["match", "--params", "names.txt"], SLOW),
    ("script", VALIDATE, lambda n: "config_list = [\n" + "".join(
        f"    {{'op_names': ['l{at}'], 'sparse_ratio': 0.5}},\n" for at in range(n)) + "]\n"),
]


# Recipes of a few lines, for a model that is a mebibyte long; and what has to be said to read them.
NNI_PRUNER = ["--from", "nni", "--pruner", "LevelPruner"]
SPARSEML = HEAD + """- !GMPruningModifier
  params: %s
  init_sparsity: 0.05
  final_sparsity: 0.8
  start_epoch: 0.0
  end_epoch: 50.0
  update_frequency: 1.0
"""
RECIPES = [
    ("types of NNI's", "- {op_types: [Linear], sparse_ratio: 0.5}\n", NNI_PRUNER),
    ("patterns of NNI's", "- {op_names_re: ['layers.*'], sparse_ratio: 0.5}\n", NNI_PRUNER),
    ("quantizers of NNI's", "- {op_types: [Linear], quant_dtype: int8, target_names: [weight, _input_, _output_]}\n", ["--from", "nni"]),
    ("global groups of NNI's", "- {op_types: [Linear], sparse_ratio: 0.5, global_group_id: 1}\n", NNI_PRUNER),
    ("dependency groups of NNI's", "- {op_types: [Linear], sparse_ratio: 0.5, dependency_group_id: 1}\n", NNI_PRUNER),
    ("all that can be pruned", SPARSEML % "__ALL_PRUNABLE__", []),
    ("patterns of SparseML's", SPARSEML % "['re:.*[.]up[.]weight']", []),
    ("sensitivities of Distiller's", "version: 1\npruners:\n  p: {class: SensitivityPruner, sensitivities: {'.*weight': 0.5}}\n"
     "policies:\n- pruner: {instance_name: p}\n  starting_epoch: 0\n  ending_epoch: 5\n  frequency: 1\n", ["--from", "distiller"]),
    ("schemes of llm-compressor", "q_stage:\n  q_modifiers:\n    GPTQModifier: {targets: Linear, scheme: W4A16, ignore: [lm_head, 're:.*gate$']}\n", []),
    ("one-shot pruners", "s_stage:\n  s_modifiers:\n    SparseGPTModifier: {targets: Linear, sparsity: 0.5, mask_structure: '2:4'}\n"
     "    SmoothQuantModifier: {smoothing_strength: 0.8}\n    AWQModifier: {targets: Linear, scheme: W4A16}\n", []),
]
RUN = ["--epochs", "10", "--steps-per-epoch", "100"]
COMMANDS = [
    *([*VALIDATE, "--format", each] for each in ("text", "concise", "json", "sarif", "junit", "gitlab")),
    [*VALIDATE, "--fix", "--unsafe-fixes", "--diff"], ["normalize"], ["inspect"], ["rescale", "--epochs", "50"],
    *(["convert", "--allow-loss", *RUN, "--to", each]
      for each in ("distiller", "ir", "llm-compressor", "nni", "pytorch", "sparseml")),
    *(["timeline", *RUN, "--format", each] for each in ("table", "csv", "svg", "html")),
    ["timeline", "--summary", *RUN], ["diff", "other"], ["compose", "other"],
]
FOR_NAMES = [["match"], VALIDATE, ["diff", "other"], *(
    ["convert", "--allow-loss", *RUN, "--to", each] for each in ("sparseml", "nni", "llm-compressor"))]
FOR_MODELS = [["match"], *(each for each in COMMANDS if each[0] not in ("normalize", "compose", "rescale"))]


def run(arguments):
    """The status, the CPU seconds and the MiB of one run."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(null, descriptor)
        os.execv(SPARSECFG, [SPARSECFG, *arguments])
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(command, path):
    runs = [run([*command, path])]
    if runs[0][1] < 2:
        runs += [run([*command, path]) for _ in range(2)]
    return runs[0][0], min(each[1] for each in runs), min(each[2] for each in runs)


def most_parts(text):
    """The largest power of two for which a text is not too large. Takes little memory, which each run inherits."""
    parts = 1
    while len(text(2 * parts).encode()) <= LARGEST:
        parts *= 2
    return parts


def grow(name, command, text):
    """What the inputs of n and of 2n parts take, the last of them as large as may be."""
    path = "input.py" if name == "script" else "input.yaml"
    parts, sizes = most_parts(text), []
    for count in (parts // 2, parts):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text(count))
        sizes.append(measure(command, path))
    return os.path.getsize(path), sizes


def growth(before, after, least):
    return after / before if after > least and before > 0 else None


def try_commands(name, path, commands):
    """Prints the runs that take too much; returns how many."""
    bad = 0
    other = "other" + os.path.splitext(path)[1]
    shutil.copy(path, other)
    for command in commands:
        status, time, memory = run([other if each == "other" else each for each in command] + [path])
        if status not in (0, 1, 2) or time > 1 or memory > 64:
            print(f"{name:32} {' '.join(command):70} {status:3} {time:6.2f} {memory:5.0f}", flush=True)
            bad += 1
    return bad


def try_inputs(wanted):
    bad, seen = 0, set()
    for name, _, text in INPUTS:
        if wanted not in name or text(3) in seen:
            continue
        seen.add(text(3))
        path = "input.py" if name == "script" else "input.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text(most_parts(text)))
        read = ["--from", "distiller"] if "Distiller" in name else []
        bad += try_commands(name, path, [[*each, *read] for each in COMMANDS] + [
            [*each, *read, option, file] for each in FOR_NAMES
            for option, file in (("--params", "names.txt"), ("--modules", "modules.tsv"))])
    return bad


def try_models(wanted):
    bad = 0
    for path, line in (("large.tsv", "layers.{}.experts.{}.up\tLinear\t64x64\n"),
                       ("large.txt", "layers.{}.experts.{}.up.weight\t64x64\n")):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line.format(at // 100, at % 100) for at in range(LARGEST // 38))
    for name, text, read in RECIPES:
        if wanted not in name:
            continue
        with open("input.yaml", "w", encoding="utf-8") as file:
            file.write(text)
        bad += try_commands(name, "input.yaml", [
            [*each, *read, option, file] for each in FOR_MODELS
            for option, file in (("--params", "large.txt"), ("--modules", "large.tsv"))])
    return bad


def write_names():
    with open("names.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(NAMES) + "\n")
    with open("modules.tsv", "w", encoding="utf-8") as file:
        file.write("".join(f"layers.{at}.q_proj\tLinear\t64x64\n" for at in range(2000)))
    with open("few.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(NAMES[:4900]) + "\n")


def grow_all(wanted):
    bad = 0
    print(f"{'input':32} {'KiB':>5} {'status':>6} {'s':>6} {'x':>5} {'MiB':>5} {'x':>5}")
    for name, command, text in INPUTS:
        if wanted not in name:
            continue
        size, [(_, time, memory), (status, time_after, memory_after)] = grow(name, command, text)
        times, memories = growth(time, time_after, 0.05), growth(memory, memory_after, 16)
        fails = (status not in (0, 1) or time_after > 1 or memory_after > 64 or (times or 0) > 2.3 or (memories or 0) > 2.3)
        bad += fails
        shown = [f"{each:.2f}" if each else "-" for each in (times, memories)]
        print(f"{name:32} {size >> 10:5} {status:6} {time_after:6.2f} {shown[0]:>5} {memory_after:5.0f} {shown[1]:>5}"
              f"{'  <--' if fails else ''}", flush=True)
    return bad


SIZES = (64 << 10, 256 << 10, 1 << 20, 4 << 20)


def measure_kind(kind, command, sizes):
    """The sizes and the runs of inputs of a kind, up to the first slow one."""
    path, runs = kind.seed.checked or kind.seed.file, []
    for size in sizes:
        content = kind.content(kind.repetitions_for(size))
        with open(kind.seed.file, "wb") as file:
            file.write(content)
        if "other" in command:
            shutil.copy(kind.seed.file, "other" + os.path.splitext(path)[1])
        words = ["other" + os.path.splitext(path)[1] if each == "other" else each for each in command]
        runs.append((len(content), *run([*words, path])))
        if runs[-1][2] > 3:
            break
    return runs


def fault_of(runs):
    """Why a kind takes too much, or an empty string."""
    size, status, time, memory = runs[-1]
    if status not in (0, 1, 2):
        return f"exit status {status}"
    if time > max(1.0, 1.0 * size / (1 << 20)):
        return "time"
    if memory > 64 + 100 * size / (1 << 20):
        return "memory"
    (size_before, _, time_before, _), ratio = runs[-2], 1.6
    return "growth" if time > 0.25 and time / max(time_before, 0.02) > ratio * size / size_before else ""


def grow_kinds(wanted, every_command):
    bad = count = 0
    print(f"{'kind':74} {'KiB':>5} {'status':>6} {'s':>6} {'s/MiB':>6} {'MiB':>5} {'MiB/MiB':>7}")
    for kind in every_kind():
        if wanted not in kind.name or (every_command and not kind.seed.file.startswith("r.")):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.mkdir(".git")
            for name, text in kind.seed.files.items():
                os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
                with open(name, "w", encoding="utf-8") as file:
                    file.write(text)
            for command in EVERY_COMMAND if every_command else (kind.seed.command,):
                runs = measure_kind(kind, command, SIZES[:3] if every_command else SIZES)
                size, status, time, memory = runs[-1]
                count, fault = count + 1, fault_of(runs)
                bad += fault != ""
                name = f"{kind.name} ({' '.join(command)})" if every_command else kind.name
                if fault or not every_command:
                    mebibytes = size / (1 << 20)
                    print(f"{name:74} {size >> 10:5} {status:6} {time:6.2f} {time / mebibytes:6.2f} {memory:5.0f} "
                          f"{memory / mebibytes:7.0f}{'  <-- ' + fault if fault else ''}", flush=True)
            os.chdir("/")
    print(f"{count} kinds of inputs")
    return bad


def main():
    global SPARSECFG
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--every-command", action="store_true")
    options.add_argument("--every-kind", action="store_true")
    options.add_argument("--commands", action="store_true")
    options.add_argument("sparsecfg")
    options.add_argument("wanted", nargs="?", default="")
    given = options.parse_args()
    SPARSECFG = os.path.abspath(given.sparsecfg)
    if given.every_kind:
        bad = grow_kinds(given.wanted, given.commands)
        print(f"{bad} beyond the bars" if bad else "all within the bars")
        return 1 if bad else 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_names()
        bad = try_inputs(given.wanted) + try_models(given.wanted) if given.every_command else grow_all(given.wanted)
        os.chdir("/")
    print(f"{bad} beyond the bars" if bad else "all within the bars")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
