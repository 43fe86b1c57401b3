#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "python/tree.h"
#include "script/trace.h"

namespace sparsecfg::test {

using script::Ref;
using script::Value;

static std::string shown(const Value& value) {
  if (value.kind == Value::Kind::unknown) return "?";
  if (value.kind == Value::Kind::name || value.kind == Value::Kind::object) return value.path;
  if (value.kind == Value::Kind::scalar) return source::python_str({value.data, {}});
  if (value.open) return "open";
  std::string out;
  for (const Ref& item : value.items) out += (out.empty() ? "" : " ") + shown(*item);
  return "(" + out + ")";
}

// What the last call of `show` in a script gets, and how often it is called.
static std::pair<std::string, std::size_t> passed(std::string_view text) {
  const python::Script script = python::parse_script(text);
  script::Library library;
  library.keeps_arguments = [](std::string_view path) { return path == ".show" || path == "m.A" || path == "m.make"; };
  const script::Trace trace = script::follow({text, {&script, 1}}, library);
  std::pair<std::string, std::size_t> out;
  for (const Ref& object : trace.objects) {
    if (object->path == "show") out = {shown(*object->items.front()), out.second + 1};
  }
  return out;
}

TEST_CASE("values of a script are followed") {
  struct Followed {
    const char* script;
    const char* value;
  };

  for (const Followed& c : {
           Followed{"a = 1\nb = a + 1\nshow(b)", "2"},
           Followed{"a = ['x'] + ['y']\na.append('z')\na += ['w']\nshow(a)", "(x y z w)"},
           Followed{"a = []\nb = a\nb.extend([1, 2])\nshow(a)", "(1 2)"},
           Followed{"a = {'k': 1}\na['l'] = 2\na['k'] = 3\nshow(a)", "(k 3 l 2)"},
           Followed{"a = {'k': 1}\nshow({**a, 'm': 2})", "(k 1 m 2)"},
           Followed{"a = {'k': 1, **e}\nshow('k' in a)", "True"},
           Followed{"a = {'k': 1, **e}\nshow(a['k'])", "?"},
           Followed{"a = {'k': 1, e: 2, 'l': 3}\nshow([a['k'], a['l'], 'k' in a])", "(? 3 True)"},
           Followed{"a = {'k': 1}\na.update(e)\nshow(['k' in a, a['k']])", "(True ?)"},
           Followed{"a = {'k': {'l': 1}, **e}\na['k']['l'] = 2\nshow(a['k'])", "?"},
           Followed{"show(dict(x=1, **{'y': 2}))", "(x 1 y 2)"},
           Followed{"n = 'a'\nshow(f're:.*{n}_{1 + 1}$')", "re:.*a_2$"},
           Followed{"show([f'{x}!' for x in ('a', 'b')])", "(a! b!)"},
           Followed{"show(list(zip((a for a in 'xy'), (b for b in 'zw'))))", "((x z) (y w))"},
           Followed{"a = [(c for c in ['x', 'y'])]\nshow([list(each) for each in a])", "(open)"},
           Followed{"a = (c for c in ['x', 'y'])\nshow([*a])", "open"},
           Followed{"a = ((c for c in ['x', 'y']),)\nshow(list(a[0]))", "open"},
           Followed{"def f(x, *y):\n    return [list(x), y]\nshow(f((c for c in ['x']), 'z'))", "(open (z))"},
           Followed{"show('{}-{b}-{{}}'.format('x', b=2))", "x-2-{}"},
           Followed{"show('a' if 1 < 2 else 'b')", "a"},
           Followed{"show(1 if callable('a') else 2)", "2"},
           Followed{"show(1 if callable(lambda: 0) else 2)", "1"},
           Followed{"show(1 if callable(unknown()) else 2)", "?"},
           Followed{"if __name__ == '__main__':\n    show('main')", "main"},
           Followed{"def f():\n    x = 'in'\n    return [x]\nshow(f())", "(in)"},
           Followed{"def f(x):\n    return x\nshow(f('given'))", "given"},
           Followed{"x = 'out'\ndef f():\n    show(x)", "out"},
           Followed{"def f(x):\n    show(x)", "?"},
           Followed{"for x in ['a', 'b']:\n    show(x)", "b"},
           Followed{"from m import A as B\nshow(B.C)", "m.A.C"},
           Followed{"import m.n\nshow(m.n.A)", "m.n.A"},
           Followed{"x = ['a', 'b']\nshow(x[-1])", "b"},
           Followed{"a, b = 1, 2\nshow(b)", "2"},
           Followed{"x = 1\nif unknown():\n    x = 2\nshow(x)", "?"},
           Followed{"x = [1]\nif unknown():\n    x.append(2)\nshow(x)", "open"},
           Followed{"x = 1\ntry:\n    x = 2\nexcept E:\n    pass\nshow(x)", "2"},
           Followed{"x = 1\ntry:\n    unknown()\n    x = 2\nexcept E:\n    pass\nshow(x)", "?"},
           Followed{"x = 0\nmatch 1:\n    case 1:\n        x = 3\nshow(x)", "3"},
           Followed{"for x in ['a', 'b', 'c']:\n    if x == 'b':\n        break\nshow(x)", "b"},
           Followed{"a = []\nfor x in [1, 2, 3]:\n    if x == 2:\n        continue\n    a.append(x)\nshow(a)", "(1 3)"},
           Followed{"a = [1, 2]\nunknown(a)\nshow(a)", "open"},
           Followed{"def f(x):\n    if x:\n        return 1\n    return 2\nshow(f(unknown()))", "?"},
           Followed{"def f(x):\n    if x:\n        return 1\n    return 1\nshow(f(unknown()))", "1"},
           Followed{"s = 1\ndef f():\n    global s\n    s = 2\nf()\nshow(s)", "2"},
           Followed{"a = [1, 2, 3]\nshow(a[1:])", "(2 3)"},
           Followed{"def f(*a, **k):\n    return [list(a), k]\nshow(f(1, 2, x=3))", "((1 2) (x 3))"},
           Followed{"class A:\n    x = 1\n    def __init__(self, y):\n        self.y = y\nshow(A(2).y + A.x)", "3"},
           Followed{"n = 0\nwhile n < 3:\n    n += 1\nshow(n)", "3"},
           Followed{"n = 0\nwhile unknown():\n    n += 1\nshow(n)", "?"},
           Followed{"x = 1\nif unknown():\n    raise E\nelse:\n    x = 2\nshow(x)", "2"},
           Followed{"for x in ['a', 'b']:\n    if unknown():\n        break\nshow(x)", "?"},
           Followed{"for x in ['a']:\n    pass\nelse:\n    x = 'else'\nshow(x)", "else"},
           Followed{"@unknown\ndef f():\n    return 1\nshow(f())", "?"},
           Followed{"a = [1, 2, 3]\nshow(a[::-1])", "(3 2 1)"},
           Followed{"a = [1, 2, 3]\ndel a[0]\nshow(a)", "(2 3)"},
           Followed{"a = [1, 2]\na.reverse()\nshow(a)", "(2 1)"},
           Followed{"a = [1, 2]\na.sort()\nshow(a)", "(1 2)"},
           Followed{"a = {'k': 1}\na.update(k=2)\na.pop('k')\nshow(a)", "()"},
           Followed{"show(' x '.strip())", "x"},
           Followed{"def f(*a, **k):\n    return k\nshow(f(1, x=3))", "(x 3)"},
           Followed{"def f(*a):\n    return a\nshow(f(1, 2))", "(1 2)"},
           Followed{"from m import A\na = A(x=1)\nsetattr(a, 'x', 2)\nshow(a.x)", "2"},
           Followed{"from m import A\na = A(1)\na.x = 2\nshow(a.x)", "2"},
           Followed{"print 'old'\nx = [1\ndef f(): pass\nshow(2)", "2"},
           // The parts of a target are evaluated once.
           Followed{"n = [0]\ndef f():\n    n[0] += 1\n    return n[0]\na = [5, 6, 7]\na[f()] += 1\nshow([n, a])",
                    "((1) (5 7 7))"},
           // A list grows while an iterator over it is used.
           Followed{"a = ['x']\nfor x, i in zip(a, range(3)):\n    a.append(x)\nshow(a)", "open"},
           // Names of a mapping of all names, and known code in strings.
           Followed{"x = 1\nglobals()['x'] = 2\nshow(x)", "2"},
           Followed{"x = 1\ng = globals()\ng.update(x=2)\nshow([x, g['x']])", "(2 2)"},
           Followed{"x = 1\nunknown(globals())\nshow(x)", "?"},
           Followed{"exec('x = 1')\nshow([x, eval('x + 1')])", "(1 2)"},
           Followed{"x = 1\nexec(unknown())\nshow(x)", "?"},
           // An import of all names of a module that is not known can replace a value.
           Followed{"x = 1\nfrom other import *\nshow(x)", "?"},
           // Private names belong to their class.
           Followed{"class A:\n    __x = 1\n    def get(self): return self.__x\nclass B(A):\n    __x = 2\n"
                    "show(B().get())",
                    "1"},
           // An inherited dataclass keeps the defaults of its fields.
           Followed{"from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\nclass B(A):\n    x = 2\n"
                    "show([B().x, B(x=3).x, B.x])",
                    "(1 3 2)"},
           Followed{"from dataclasses import dataclass, InitVar\n@dataclass\nclass A:\n    x: InitVar[int] = 1\n"
                    "show(A(2).x)",
                    "?"},
           // Two options of one name: the first one sets the default.
           Followed{
               "import argparse\np = argparse.ArgumentParser()\np.set_defaults(a=3)\np.add_argument('--a')\n"
               "p.add_argument('--b', action='store_true')\np.add_argument('--no-b', action='store_false', dest='b')\n"
               "o = p.parse_args()\nshow([o.a, o.b])",
               "(3 False)"},
           Followed{"import argparse\np = argparse.ArgumentParser(argument_default=4)\np.add_argument('--a')\n"
                    "show(p.parse_args().a)",
                    "?"},
           // A function of a framework can return any value.
           Followed{"from m import A, make\nshow(['yes' if A() else 'no', 'yes' if make() else 'no'])", "(yes ?)"},
           // A file that the script writes does not have its old content.
           Followed{"open('f', 'w').write('x')\nshow(open('f').read())", "?"},
       }) {
    INFO(c.script);
    CHECK(passed(c.script).first == c.value);
  }
}

// Each statement runs a method of `It` that appends to `a`.
TEST_CASE("operations run methods of classes") {
  const std::string type =
      "a = []\nclass It:\n    def touch(self, *b, **c):\n        a.append(1)\n        return iter(())\n"
      "    __iter__ = __repr__ = __hash__ = __eq__ = __lt__ = __add__ = __neg__ = __getattr__ = __len__ = touch\n"
      "    __contains__ = __getitem__ = __setitem__ = __delitem__ = __bool__ = __index__ = __deepcopy__ = touch\n"
      "it = It()\n";
  for (const char* statement : {"for x in it: pass",
                                "x = [*it]",
                                "x = f(*it)",
                                "x = 1 in it",
                                "sorted(it)",
                                "str([it])",
                                "print([it])",
                                "[it] == [1]",
                                "'%s' % (it,)",
                                "'{}'.format(it)",
                                "f'{[it]}'",
                                "{it}",
                                "{it: 1}",
                                "{}[it]",
                                "x = it; x += 1",
                                "it[0] = 1",
                                "del it[0]",
                                "it.missing",
                                "not it",
                                "[1][it]",
                                "import copy; copy.deepcopy(it)",
                                "max([it, it])",
                                "dict(it)",
                                "match it:\n    case [x]: pass",
                                "any([it])",
                                "hasattr(it, 'x')",
                                "range(it)",
                                "[].extend(it)"}) {
    INFO(statement);
    CHECK(passed(type + "def f(*x): pass\n" + statement + "\nshow(a)").first == "open");
  }
  CHECK(passed("a = []\nclass It:\n    pass\nprint(f'{It()}', It())\nshow(a)").first == "()");
}

TEST_CASE("classes can be changed when they are created or used") {
  for (const char* type :
       {"class B:\n    def __init_subclass__(cls): cls.x = 2\nclass A(B):\n    x = 1",
        "class A(metaclass=unknown):\n    x = 1", "class A(other):\n    x = 1",
        "class D:\n    def __set_name__(self, o, n): o.x = 2\nclass A:\n    x = 1\n    d = D()",
        "class A:\n    x = 1\n    def __getattribute__(self, n): return 2",
        "class D:\n    def __get__(self, o, t): return 2\nclass A:\n    x = D()",
        "class A:\n    x = 1\ntype(A()).x = 2", "class A:\n    x = 1\nclass B: pass\nA.__bases__ = (B,)"}) {
    INFO(type);
    CHECK(passed(std::string(type) + "\nshow(A().x)").first == "?");
  }
  CHECK(passed("import torch\nclass A(torch.nn.Module):\n    x = 1\nshow(A.x)").first == "1");
  CHECK(passed("def f(x=1): return x\nf.__defaults__ = (2,)\nshow(f())").first == "?");
  CHECK(passed("x = 1\ndef f(): pass\nf.__globals__['x'] = 2\nshow(x)").first == "?");
}

// Unknown code can call `f` before the last statement runs.
TEST_CASE("functions that run at any time see each value of a name") {
  for (const char* start : {"unknown(f)", "unknown([f])", "async def g(): f()\nunknown(g())"}) {
    INFO(start);
    const std::string text = "x = 1\ndef f(): show(x)\n" + std::string(start) + "\n";
    CHECK(passed(text).first == "1");
    CHECK(passed(text + "x = 2").first == "?");
    // A call before the only value is set would fail.
    CHECK(passed("def f(): show(x)\n" + std::string(start) + "\nx = 1").first == "1");
  }
}

TEST_CASE("a class that is replaced later is not called for certain") {
  const std::string text = "from m import A, B\nasync def f(): show(B())\nrun(f())\n";
  CHECK(passed(text).first == "m.B");
  CHECK(passed(text + "B = A").first == "?");
  CHECK(passed(text + "A, B = B, A").first == "?");
}

// A generator is evaluated when it is used.
TEST_CASE("generators that are kept have unknown elements") {
  const std::string text = "a = ['x']\ng = {}\nb = []\n";
  for (const char* line :
       {"g = {'k': (c for c in a)}", "g.setdefault('k', (c for c in a))", "g.update(k=(c for c in a))",
        "b.insert(0, (c for c in a)); g['k'] = b[0]", "def f(k=(c for c in a)): return k\ng['k'] = f()"}) {
    INFO(line);
    CHECK(passed(text + line + "\na.append('y')\nshow(list(g['k']))").first == "open");
  }
}

// An unknown value may be one of the objects that it is selected from.
TEST_CASE("changes through unknown references are seen") {
  for (const char* line : {"getattr(unknown(), 'x', a).append(2)", "max([a, a], key=unknown).append(2)",
                           "[b for b in [a] if unknown()][0].append(2)", "list(filter(unknown, [a]))[0].append(2)",
                           "next(unknown(), a).append(2)", "(a or [1]).append(2)"}) {
    INFO(line);
    CHECK(passed("a = [1]\n" + std::string(line) + "\nshow(a)").first != "(1)");
  }
}

TEST_CASE("operations that fail end the body of a try statement") {
  for (const char* line : {"{[1]}", "f(1, a=1)", "f(a=1, **{'a': 2})"}) {
    INFO(line);
    CHECK(passed("def f(a): pass\nx = 1\ntry:\n    " + std::string(line) + "\nexcept E:\n    x = 2\nshow(x)").first ==
          "?");
  }
}

TEST_CASE("what is expected to fail is not looked at") {
  CHECK(passed("import pytest\nwith pytest.raises(E):\n    show(1)").second == 0);
  CHECK(passed("import pytest\nwith open(E):\n    show(1)").second == 1);
}

TEST_CASE("deeply nested expressions are skipped") {
  for (const char* part : {"await ", "yield ", "lambda: ", "not ", "-", "x if y else "}) {
    INFO(part);
    std::string text = "x = ";
    for (int at = 0; at < 20'000; ++at) text += part;
    CHECK(passed(text + "1\nshow(1)\n").first == "1");
  }
  for (const char* part : {"(", "[*", "(*", "{*", "a[*"}) {
    INFO(part);
    std::string text = "x = ";
    for (int at = 0; at < 20'000; ++at) text += part;
    CHECK(passed("show(1)\n" + text + "1\n").first == "1");
  }
}

TEST_CASE("strings and containers that grow are limited") {
  for (const char* line :
       {"s += s", "s = s + s", "s = f'{s}{s}'", "d.update(d)", "d = dict(d, **d)", "a = [a, a, a]"}) {
    INFO(line);
    std::string text = "s = 'xx'\nd = {'a': 1}\na = []\n";
    for (int at = 0; at < 60; ++at) text += std::string(line) + "\n";
    CHECK(passed(text + "show(1)").first == "1");
  }
}

TEST_CASE("endless scripts are followed to a limit") {
  CHECK(passed("def f():\n    f()\nf()\nshow(1)").first == "1");
  std::string text = "x = [0] * 2\n";
  for (int at = 0; at < 40; ++at) text += "x = [x, x]\n";
  CHECK(passed(text + "show(1)").first == "1");
}

TEST_CASE("an f-string may reach the limit of values") {
  std::string text = "a = 'x' * 900000\nb = f\"({[";
  for (int at = 0; at < 40; ++at) text += "a + '1', ";
  text += "]})\"\n";
  const python::Script script = python::parse_script(text);
  CHECK_FALSE(script::follow({text, {&script, 1}}, script::Library()).limit.empty());
}

TEST_CASE("code after long loops is followed") {
  std::string text;
  for (const char* name : {"a", "b", "c"}) {
    text += "for i in range(90):\n    for j in range(90):\n        for k in range(90):\n            ";
    text += std::string(name) + " = k\n";
  }
  CHECK(passed(text + "show(a)").first == "?");
  CHECK(passed(text + "show(1)").first == "1");
  CHECK(passed(text + "show([x for x in (1, 2)])").first == "(1 2)");
  CHECK(passed("show([x for x in range(900) for y in range(900)])").first == "?");
}

TEST_CASE("code beyond the limit can change every object") {
  std::string text = "from m import A, run\na = A(x=1)\nrun(recipe=[a])\n";
  for (int at = 0; at < 220'000; ++at) text += "b = 1\n";
  const python::Script script = python::parse_script(text);
  script::Library library;
  library.keeps_arguments = [](std::string_view) { return true; };
  const script::Trace trace = script::follow({text, {&script, 1}}, library);
  REQUIRE(trace.limit == "the script is too long to follow from here on");
  REQUIRE(trace.objects.size() == 2);
  CHECK(trace.objects[0]->open);
  CHECK(trace.objects[0]->argument("x") == nullptr);
  const Ref recipe = trace.objects[1]->argument("recipe");  // as it was when the call received it
  REQUIRE_FALSE(recipe->open);
  CHECK(shown(*recipe->items.front()->argument("x")) == "1");
}

// Returns the number of values of a trace, with their elements, that are alive after it.
static std::size_t left_by(std::string_view text) {
  std::vector<std::weak_ptr<Value>> values;
  {
    const python::Script script = python::parse_script(text);
    const script::Trace trace = script::follow({text, {&script, 1}}, {});
    for (const auto* list : {&trace.objects, &trace.lists}) {
      for (const Ref& value : *list) {
        values.emplace_back(value);
        values.insert(values.end(), value->items.begin(), value->items.end());
      }
    }
  }
  CHECK(values.size() > 1);
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [](const std::weak_ptr<Value>& each) { return !each.expired(); }));
}

TEST_CASE("paths that grow are followed to a limit") {
  std::string text = "from pathlib import Path\nq = 'x/' * 9000\np = Path('a')\n";
  for (int at = 0; at < 200; ++at) text += "p = p / q\n";
  const python::Script script = python::parse_script(text);
  CHECK(script::follow({text, {&script, 1}}, {}).limit ==
        "the values of the script are too large to follow it from here on");
}

TEST_CASE("classes with very many bases are not followed to all of them") {
  const auto chain = [](int count) {
    std::string text = "class C: a = 1\n";
    for (int at = 0; at < count; ++at) text += "class C(C): pass\n";
    return passed(text + "show(C.a)").first;
  };
  CHECK(chain(20) == "1");
  CHECK(chain(20'000) == "?");
  std::string diamonds = "class A: pass\n";
  for (int at = 0; at < 60; ++at) diamonds += "class L(A): pass\nclass R(A): pass\nclass A(L, R): pass\n";
  CHECK(passed(diamonds + "show(A.a)").first == "?");
}

TEST_CASE("values and scopes that refer to each other are freed") {
  for (const char* script : {
           "a = [1]\ndef f(): return a\nshow(a)",
           "a = [1]\na.append(a)\nshow(a)",
           "a = [1]\nf = lambda: a\na.append(f)\nshow(a, f)",
           "d = {'k': [1]}\nd['d'] = d\ne = dict(d)\ne['e'] = e\nshow(d, e)",
           "class C:\n    def __init__(self):\n        self.a = [self]\n        self.f = self.g\n    def g(self): "
           "pass\nshow(C())",
           "def f():\n    a = [1]\n    def g(): return a\n    a.append(g)\n    show(a)\n    return 1\nf()\nf()",
           "a = [1]\nfor i in x: a.append(a)\nif y: a = [a]\nshow(a)",
       }) {
    CAPTURE(script);
    CHECK(left_by(script) == 0);
  }
}

TEST_CASE("paths that leave a long loop are given up at the limit") {
  std::string text = "def f(x):\n    while True:\n        if x: return A(**{'a': [1], 'b': [2], 'c': 3})\n";
  text += "        if len(x) > 3: continue\n";
  const auto call = static_cast<std::uint32_t>(text.size());
  text += "show(f(unknown()))\n";
  const python::Script script = python::parse_script(text);
  const script::Trace trace = script::follow({text, {&script, 1}}, {});
  CHECK(trace.limit == "the script is too long to follow from here on");
  CHECK(trace.limited.begin == call);  // the call, whose paths are joined
}

}  // namespace sparsecfg::test
