#include <catch2/catch.hpp>
#include <string>

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
  library.keeps_arguments = [](std::string_view path) { return path == ".show" || path == "m.A"; };
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
       }) {
    INFO(c.script);
    CHECK(passed(c.script).first == c.value);
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

}  // namespace sparsecfg::test
