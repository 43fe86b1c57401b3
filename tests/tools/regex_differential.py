"""Compares the patterns of sparsecfg with Python's own `re`: what compiles, match and fullmatch.

    regex_differential.py PATH_OF_regex_match [--count N] [--seed N] [--show N]

Typical selectors, mutations of them and patterns strung together from pieces are tried on names
of parameters and on short texts over a small alphabet. Exit status 1 if a difference is left that
is not listed in `known_difference`, 77 if this is not the Python that patterns are written for.
"""
import argparse
import json
import random
import re
import signal
import subprocess
import sys
import warnings

TYPICAL = r"""
.*weight
.*\.weight
.*bias
.*
.+
^.*$
weight$
.*weight$
.*conv.*
.*conv\d+\.weight
.*conv[12]\.weight
.*\.conv[0-9]*\.weight
layers\.(1|2)\..*
layers\.(1|2|10)\..*weight
(layers\.[0-9]+)\.mlp\..*
model\.layers\.\d+\.self_attn\.(q|k|v|o)_proj
model\.layers\.\d+\.self_attn\.(q|k|v|o)_proj\.weight
.*self_attn\.(?:q|k|v)_proj.*
.*q_proj.*
.*(gate|up|down)_proj.*
.*mlp\.experts\.\d+\..*
.*\.mlp\.gate$
(?!.*lm_head).*weight
(?!lm_head).*
(?=.*attn).*weight
(?=a)x*a
^(?!.*(embed|norm)).*$
.*(?<!bias)$
.*(?<!\.bias)
(?:module\.)?features\.\d+\.weight
(?:module\.)?layer[1-4]\.\d\.conv[123]\.weight
module\.layer1\.0\.conv[12]\.weight
sections\.[0-3]\.[0-9]+\.conv[1-3]\.conv\.weight
bert\.encoder\.layer\.([0-9]|1[01])\.attention\.(self|output).*
bert\.encoder\.layer\.[02468]\.attention\.output\.dense\.weight
bert\.encoder\.layer\.\d{1,2}\.intermediate\.dense\.weight
transformer\.h\.\d+\.(attn|mlp)\.c_(attn|proj|fc)\.weight
.*\.(query|key|value)\.weight
.*classifier.*
classifier\.weight
classifier(\.\d+)?\.weight
fc[12]\.weight
fc\d
fc\d+\.(weight|bias)
seq\.fc1\.weight
head\.weight
.*head.*
.*downsample\.0\.weight
.*depthwise.*
.*bn\d?.*
.*BatchNorm.*
(?i).*WEIGHT
(?i:CONV).*
.*_quant$
.*input_quantizer
[^.]*\.weight
[a-z_]+\.[0-9]+\.[a-z]+
\w+\.\w+\.weight
^\S+$
(?P<block>layer\d)\.(?P<rest>.*)
(?P<a>\d)\.conv(?P=a)
(.)\1.*
model\.(0|1|2)\.conv\.weight
model\.\d+\.cv[1-4]\.conv
model\.24\.m\.[012]
.*\.Conv2D
.*kernel:0
.*/kernel.*
conv2d_\d+/kernel:0
.*vision_model.*
.*\.block_sparse_moe\.experts\.\d+\.w[123]
.*decoder\.layers\.(?:[0-9]|[12][0-9]|3[01])\.fc[12]
lm_head
re:.*weight
*weight
layer[1-4.weight
layers.(1|2.*
conv(2d
""".strip("\n").split("\n")

PIECES = r"""
a b c . .. \. ab x 1 0 _ weight conv layer \d \D \w \W \s \S \b \B \A \Z \z ^ $ | || ( ) (?: (?= (?! (?<= (?<! (?> (?P<n>
(?P<m> (?P=n) (?P=m) (?P>n) (?&n) (?R) (?1) (?+1) (?| (?<n> (?'n' (?# (?#c) (?i) (?s) (?m) (?x) (?a) (?u) (?L) (?ai) (?im)
(?i: (?-i: (?s: (?m: (?x: (?a: (?u: (?ai: (?s-i: (?i-i: (?-: (?- (?i (?i- (?t) (?q) (?(1) (?(2) (?(n) (?(0) (?(x) (?() (*F)
(*ACCEPT) (*UTF) * + ? *? +? ?? *+ ++ ?+ {2} {1,2} {,2} {1,} {,} {} { } {a} {2,1} {0} {0,} {1}? {2}+ {3}{2} ** a* b+ c? .* .+ .*?
[ab] [^a] [a-c] [^a-c] [] [^] [ ] ] [^ [a []a] [^]a] [[:alpha:]] [[.a.]] [\d] [\w.] [^\W] [\S\s] [\b] [\B] [\Z] [z-a] [a-\d] [\d-a]
[a-] [-a] [a-b-c] [\x61] [\]] [\141] [\8] [\400] [\u0061] [\q] [&&] [a--b] [~~] [||] [^\n] [\n] [#] [ ] [\-a] [é] [I] [h-j]
\1 \2 \3 \10 \11 \01 \141 \400 \377 \0 \08 \8 \x41 \x4 \x{61} \o{141} \u0061 \u006 \U00000061 \U00110000 \U0001f600 \N \N{COMMA} \p
\pL \P{L} \h \H \v \V \R \X \K \G \Q \E \C \e \cA \g{1} \g1 \k<n> \y \_ \- \é \# é É İ ı i I K k s S ß ſ µ \n \t \r \a \f \\ \
# #c  / : , = ! < > - & ~ % @ ' " ; a{2}a (a) (b) (a|b) (a)? (a)* (|a) () (?:) (?:a|b)* (a*)* (a+)+ (?=a)* (?:^)* (?:a*)? ((a)|b)*
(?<=a) (?<=ab) (?<=a|b) (?<=a|bc) (?<=a*) (?<=a{2}) (?<=(?:)*) (?<=(?=a)?b) (?<=(?:^)?) (?<=$) (?<=\b) (?<=\1) (?<=(a)) (?<=(a)\1)
(?<!a) (?<!ab|cd) (?<=(?(1)a|b)) (?<=(?(1)a)) (?<=a++) (?<=(?>a)) (?<=(?:a|b){2}) (?<=[ab].) (?(1)a|b) (?(1)a) (?(1)a|b|c) (?(1)|b)
(?P<n>a) (?P<1>a) (?P<>a) (?P<a-b>c) (?P<n (?P (?P< (?P= (?P=) (?Px) (? (?a (?i:a (?: (?=a
""".split()

NAMES = """
weight bias fc1.weight fc2.bias seq.fc1.weight seq.fc2.weight head.weight conv1.weight conv2.bias layer1.0.conv1.weight
layer4.2.conv3.weight layer2.0.downsample.0.weight layers.1.mlp.weight layers.2.attn.bias layers.10.mlp.weight lm_head.weight
model.layers.0.self_attn.q_proj.weight model.layers.31.mlp.gate_proj.weight model.layers.7.mlp.experts.12.w1.weight
module.layer1.0.conv1.weight module.features.3.weight features.0.weight classifier.weight classifier.1.bias bn1.running_mean
bert.encoder.layer.11.attention.self.query.weight bert.encoder.layer.3.attention.output.dense.weight
bert.embeddings.word_embeddings.weight transformer.h.5.attn.c_attn.weight model.24.m.0 conv2d_1/kernel:0 sections.0.1.conv2.conv.weight
CONV.WEIGHT Conv1.Weight re:.*weight a.0.conv0 x.1.conv2 aa ab
""".split()
ODD = ["", "\n", "a", "b", "a\n", "a\n\n", "\na", "a\nb", "é", "É", "aé", "İ", "ı", "I", "i", "K", "\u212a", "ſ", "ß", "µ", "\x1c", "\x1d ",
       "\x85", "\xa0", "\u180e", "\u2028", "1", "١", "²", "_", "-", "]", "a]", "[", "^", "{", "}", "a{2}", "a{a}", "{,}", "#", "#c",
       "\\", ".", "..", "&&", "\b", "A", "aA", "z", ":", "a:", "l]", "abab", "aabb", "abc", "b a", "a b", "\0", "\x01", "\x018", "\U0001f600",
       "\t", "\r", "\v", "\a"]


TOKENS = re.compile(r"""\\. | \[\^?\]?(?:\\.|[^\]\\])*\] | \(\?\((?P<condition>\w+)\) | \(\?P<(?P<name>\w+)> |
                    (?P<capture>\((?!\?)) | (?P<open>\() | (?P<close>\))""", re.X | re.S)


def asks_for_open_group(pattern):
    """Whether a condition stands within the group that it asks for."""
    open_groups, number = [], 0
    for token in TOKENS.finditer(pattern):
        if token["condition"] and any(token["condition"] in names for names in open_groups):
            return True
        if token["capture"] or token["name"]:
            number += 1
            open_groups.append({str(number), token["name"]})
        elif token["open"] or token["condition"]:
            open_groups.append(set())
        elif token["close"] and open_groups:
            open_groups.pop()
    return False


def known_difference(pattern, python, ours):
    """The reason why the two may differ on this pattern, or nothing. `python` and `ours` are a
    refusal's text, or None where the pattern compiles."""
    if ours and "named characters" in ours:
        return "characters by name are refused"
    if re.search(r"\(\?[aimsux]*t", pattern):
        return "the flag `t` was never documented and is gone in later versions of Python"
    if ours and "bad group number" in ours:
        return "of the numbers in conditions only plain digits are read, as in later versions of Python"
    if ours and "undefined group `" in ours and re.search(r"\(\?\([ +]", pattern):
        return "the same with a sign or a blank in front"
    if ours and "repeat count above 65535" in ours:
        return "repeats beyond PCRE2's limit are refused"
    if ours and "more than 100 levels deep" in ours:
        return "the depth of groups is limited"
    if python is None and ours is None and asks_for_open_group(pattern):
        return "whether an open group has matched before is a matter of chance in Python"
    if python is None and ours is None and sys.version_info < (3, 11, 5) and re.search(r"\)(?:[*+?]|\{[\d,]+\})\+", pattern):
        return "possessive repeats of groups are mistaken in this version of Python"
    if python and "bad character in group name" in python and re.search(r"\(\?(P<|P=|\()[^)>]*[^\x00-\x7f]", pattern):
        return "letters of names beyond ASCII are not looked up"
    return None


class TooSlow(Exception):
    pass


def on_alarm(_signal, _frame):
    raise TooSlow


def python_answer(pattern, subjects, anchoring):
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, ValueError, RecursionError) as error:
        return {"error": str(error)}
    run = compiled.fullmatch if anchoring == "both" else compiled.match
    matches = []
    for subject in subjects:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            matches.append("yes" if run(subject) else "no")
        except TooSlow:
            matches.append("too slow")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return {"matches": matches}


def mutated(pattern, rng):
    for _ in range(rng.randint(1, 4)):
        at, to = sorted(rng.randint(0, len(pattern)) for _ in range(2))
        choice = rng.random()
        if choice < 0.4:
            pattern = pattern[:at] + rng.choice(PIECES) + pattern[at:]
        elif choice < 0.6:
            pattern = pattern[:at] + pattern[at + 1:]
        elif choice < 0.8:
            pattern = pattern[:at] + rng.choice(PIECES) + pattern[at + 1:]
        else:
            pattern = pattern[:to] + pattern[at:to][:12] + pattern[to:]
    return pattern


def strung(rng):
    pattern = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 7)))
    missing = len(re.findall(r"(?<!\\)\(", pattern)) - len(re.findall(r"(?<!\\)\)", pattern))
    if rng.random() < 0.7:
        pattern += ")" * max(0, missing)
    return pattern + rng.choice(["", "", "", ".*", "$", r"\Z"])


def grown(rng, depth=0):
    """A pattern that is mostly well-formed."""
    atom = lambda: rng.choice(["a", "b", "c", ".", r"\w", r"\d", "[ab]", "[^a]", r"\.", r"\b", r"\B", "^", "$", "é", r"\s"])
    parts = []
    for _ in range(rng.randint(1, 4)):
        choice = rng.random()
        if depth < 3 and choice < 0.35:
            opening = rng.choice(["(", "(", "(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?a:", "(?m:", "(?s:", "(?x:"])
            part = opening + grown(rng, depth + 1) + ")"
        elif choice < 0.42:
            part = rng.choice([r"\1", r"\2", "(?(1)a|b)", "(?(1)b)", "(?(2)|a)"])
        else:
            part = atom()
        if rng.random() < 0.35:
            part += rng.choice(["*", "+", "?", "{2}", "{,2}", "{1,}", "{0}"]) + rng.choice(["", "", "", "?", "+"])
        parts.append(part)
        if rng.random() < 0.15:
            parts.append("|")
    return "".join(parts)


def questions(count, rng):
    for pattern in TYPICAL + PIECES:
        yield pattern, NAMES + ODD
    for number in range(count):
        pattern = [mutated(rng.choice(TYPICAL), rng), strung(rng), grown(rng)][number % 3] if number % 9 else mutated(strung(rng), rng)
        short = ["".join(rng.choice("aabbc.\n1é ") for _ in range(rng.randint(1, 8))) for _ in range(12)]
        yield pattern, rng.sample(NAMES, 8) + rng.sample(ODD, 8) + short + ["", "ab", "aab"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    if sys.version_info[:2] != (3, 11):
        print("compared with Python 3.11 only")
        return 77
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, on_alarm)

    asked = [(pattern, subjects, anchoring) for pattern, subjects in questions(args.count, random.Random(args.seed))
             for anchoring in ("start", "both")]
    lines = "".join(json.dumps({"pattern": p, "subjects": s, "anchoring": a}) + "\n" for p, s, a in asked)
    answers = subprocess.run([args.binary], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()

    differences, known, compiled, matched, gave_up, too_slow = 0, {}, 0, 0, 0, 0
    for (pattern, subjects, anchoring), line in zip(asked, answers, strict=True):
        ours = json.loads(line)
        python = python_answer(pattern, subjects, anchoring)
        compiled += "matches" in python
        wrong = []
        if ("error" in ours) != ("error" in python):
            wrong = ["compile"]
        elif "matches" in ours:
            for subject, mine, theirs in zip(subjects, ours["matches"], python["matches"], strict=True):
                matched += theirs == "yes"
                gave_up += mine == "gave up"
                too_slow += theirs == "too slow"
                if mine != theirs and mine != "gave up" and theirs != "too slow":
                    wrong.append((subject, mine, theirs))
        if not wrong:
            continue
        reason = known_difference(pattern, python.get("error"), ours.get("error"))
        if reason:
            known[reason] = known.get(reason, 0) + 1
            continue
        differences += 1
        if differences <= args.show:
            print(f"{pattern!r} ({anchoring}): python {python.get('error')!r}, ours {ours.get('error')!r}, {wrong[:4]}")
    print(f"{len(asked)} questions, {compiled} compile in Python, {matched} matches; we gave up on {gave_up}, "
          f"Python was too slow on {too_slow}")
    for reason, number in known.items():
        print(f"  listed: {reason}: {number}")
    print(f"{differences} differences")
    return differences != 0


if __name__ == "__main__":
    sys.exit(main())
