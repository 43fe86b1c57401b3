(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("box"), tip = document.getElementById("tip");
  const pictures = Array.from(box.querySelectorAll("svg.pic"));
  const most = 6;  // rows of the tooltip for curves, and for phases
  const whole = data.epochs > 0 ? data.epochs : 1;
  let from = 0, to = whole, at = 0, grabbed = null;

  const make = (name, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    return parent.appendChild(node);
  };
  for (const panel of box.querySelectorAll("svg.panel")) panel.dataset.rows = panel.getAttribute("viewBox").split(" ").filter((_, at) => at % 2 === 1).join(" ");
  const number = (value, digits = 4) => Number(value.toPrecision(digits)).toString();
  const shown = () => pictures.find((picture) => picture.getBoundingClientRect().width > 0) || pictures[0];
  const frame = (picture) => {
    const panel = picture.querySelector("svg.panel");
    return { left: Number(panel.getAttribute("x")), width: Number(panel.getAttribute("width")) };
  };

  // Returns the active value at an epoch, which is that of the last change before it.
  function valueAt(series, epoch) {
    let low = 0, high = series.e.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (series.e[middle] <= epoch) low = middle + 1; else high = middle;
    }
    return low === 0 ? null : series.v[low - 1];
  }

  function ticks(begin, end) {
    const rough = (end - begin) / 5, power = Math.pow(10, Math.floor(Math.log10(rough))), digit = rough / power;
    const step = (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power, out = [];
    for (let tick = Math.ceil(begin / step - 1e-9) * step; tick <= end + step * 1e-9; tick += step) out.push(tick);
    return out;
  }

  // Returns the middles of blocks near the wanted ones, without overlaps.
  function spread(wanted, height, top, bottom) {
    const order = wanted.map((_, index) => index).sort((one, other) => wanted[one] - wanted[other]), out = [];
    let free = top + height / 2;
    for (const index of order) free = (out[index] = Math.max(wanted[index], free)) + height;
    free = bottom - height / 2;
    for (const index of order.reverse()) free = (out[index] = Math.min(out[index], free)) - height;
    return out;
  }

  // Returns the fraction of the axis of a panel at which a value is, from the lower end.
  function place(panel, value) {
    const [kind, min, max] = panel.dataset.axis.split(" ");
    const part = kind === "log" ? Math.log(Math.max(value, 1e-300) / min) / Math.log(max / min) : value / max;
    return Math.min(Math.max(part, 0), 1);
  }

  // Moves the labels of curves to the values at the right end of the window.
  function drawEnds(picture, panel) {
    const ends = Array.from(picture.querySelectorAll("g.end")).filter((end) => (end.dataset.series === "rate") === (panel.dataset.kind === "rate"));
    const edge = 2, top = Number(panel.getAttribute("y")) + edge, height = Number(panel.getAttribute("height")) - 2 * edge;
    const last = to >= whole;
    const values = ends.map((end) => valueAt(data.series.find((series) => series.id === end.dataset.series), last ? Infinity : to));
    const wanted = values.map((value, index) => value === null ? ends[index].wanted || top : top + height * (1 - place(panel, value)));
    const rows = ends.length > 0 ? Number(ends[0].dataset.rows) : 1;
    const middles = spread(wanted, 14 * rows, top - 13, top + height + 13);
    ends.forEach((end, index) => {
      const texts = Array.from(end.querySelectorAll("text")), first = middles[index] - 7 * (texts.length - 1);
      const line = end.querySelector("path"), right = frame(picture).left + frame(picture).width;
      end.wanted = wanted[index];
      line.setAttribute("d", "M" + right + " " + wanted[index] + "L" + (right + 16) + " " + first);
      texts.forEach((text, row) => {
        if (row === 0 && text.classList.contains("value")) {
          end.rest = end.rest === undefined ? text.textContent.replace(/^\S*/, "") : end.rest;
          text.textContent = (values[index] === null ? "-" : number(values[index], 3)) + end.rest;
        }
        text.setAttribute("y", first + 4 + 14 * row);
      });
    });
  }

  // Moves the bars of phases. A name is inside its bar if it fits, else beside it.
  function drawPhases(picture) {
    const area = frame(picture), across = (epoch) => area.left + Math.min(Math.max((epoch - from) / (to - from), 0), 1) * area.width;
    for (const phase of picture.querySelectorAll("g.phase")) {
      const begin = Number(phase.dataset.begin), end = Number(phase.dataset.end);
      const left = across(begin), width = Math.max(across(end) - left, 1);
      const rect = phase.querySelector("rect"), text = phase.querySelector("text");
      const seen = begin <= to && (end > from || begin === end);
      phase.style.display = seen ? "" : "none";
      if (!seen) continue;
      rect.setAttribute("x", left);
      rect.setAttribute("width", width);
      text.classList.remove("y");
      const needed = text.getComputedTextLength() + 10, after = picture.viewBox.baseVal.width - 4 - left - width, before = left - area.left;
      const inside = needed <= width, right = needed <= after || after >= before;
      text.classList.toggle("y", !inside && !right);
      text.setAttribute("x", inside ? left + 5 : right ? left + width + 5 : left - 5);
    }
  }

  function draw() {
    for (const picture of pictures) {
      const area = frame(picture);
      for (const panel of picture.querySelectorAll("svg.panel")) {
        const width = Number(panel.getAttribute("width")), [y, height] = panel.dataset.rows.split(" ");
        panel.setAttribute("viewBox", [from / whole * width, y, Math.max((to - from) / whole * width, 1e-9), height].join(" "));
        drawEnds(picture, panel);
      }
      drawPhases(picture);
      for (const group of picture.querySelectorAll("g.epochs")) {
        group.replaceChildren();
        const top = Number(group.dataset.top), height = Number(group.dataset.height);
        for (const tick of ticks(from, to)) {
          const x = area.left + (tick - from) / (to - from) * area.width;
          make("path", { class: "grid", d: "M" + x + " " + top + "v" + height }, group);
          make("text", { class: "tick x", x: x, y: top + height + 15 }, group).textContent = number(tick);
        }
      }
    }
    if (!tip.hidden) point(at);
  }

  // Adds a line to the tooltip: a piece of the curve or of the bar, the whole name and the value.
  function row(type, name, value) {
    const line = tip.appendChild(document.createElement("div"));
    const swatch = make("svg", { class: "pic", width: 22, height: 12, "aria-hidden": "true" }, line);
    if (type === "bar") make("rect", { class: "bar", x: 1, y: 1, width: 20, height: 10 }, swatch);
    else make("path", { class: "line " + type, d: "M0 6h22" }, swatch);
    for (const text of [name, value]) line.appendChild(document.createElement("span")).textContent = text;
  }

  // Returns a name that fits into two lines. Curves that share a name list all parameters.
  const shorter = (name) => (name.length > 60 ? name.slice(0, 57) + "..." : name);

  // Joins entries with the same value to one, which counts the others. A learning rate stays alone.
  function grouped(entries) {
    const out = [];
    for (const entry of entries) {
      const same = entry.rate ? undefined : out.find((other) => !other.rate && other.text === entry.text);
      if (same === undefined) out.push(Object.assign({ more: 0 }, entry));
      else same.more += 1;
    }
    return out.map((entry) => (entry.more > 0 ? Object.assign(entry, { name: entry.name + " and " + entry.more + " more" }) : entry));
  }

  // Shows the active values at an epoch.
  function point(epoch) {
    at = Math.min(Math.max(epoch, from), to);
    const step = Math.min(Math.floor(at * data.steps_per_epoch), data.steps);
    tip.replaceChildren();
    tip.appendChild(document.createElement("b")).textContent = "epoch " + number(at) + ", step " + step;
    const active = data.bands.filter((band) => band.b <= at && (at < band.e || at === data.epochs));
    const shownSeries = grouped(data.series.map((series) => {
      const value = valueAt(series, at);
      return { type: series.type, name: shorter(series.name), text: value === null ? "-" : number(value), rate: series.id === "rate" };
    }));
    const shownBands = grouped(active.map((band) => ({ type: "bar", name: shorter(band.name), text: "active" })));
    for (const each of shownSeries.slice(0, most)) row(each.type, each.name, each.text);
    for (const each of shownBands.slice(0, most)) row(each.type, each.name, each.text);
    const hidden = Math.max(shownSeries.length - most, 0) + Math.max(shownBands.length - most, 0);
    if (hidden > 0) tip.appendChild(document.createElement("p")).textContent = "and " + hidden + " more";
    tip.hidden = false;
    for (const picture of pictures) {
      const area = frame(picture), x = area.left + (at - from) / (to - from) * area.width;
      const line = picture.querySelector(".cursor") || make("line", { class: "cursor" }, picture);
      const bottom = Math.max(...Array.from(picture.querySelectorAll("g.epochs"), (group) => Number(group.dataset.top) + Number(group.dataset.height)));
      for (const [key, value] of [["x1", x], ["x2", x], ["y1", 10], ["y2", bottom]]) line.setAttribute(key, value);
    }
    const picture = shown(), rect = picture.getBoundingClientRect(), scale = rect.width / picture.viewBox.baseVal.width;
    const area = frame(picture), x = (area.left + (at - from) / (to - from) * area.width) * scale;
    const right = x > rect.width / 2;
    tip.style.left = right ? "auto" : Math.min(x + 12, rect.width - 60) + "px";
    tip.style.right = right ? rect.width - x + 12 + "px" : "auto";
    tip.style.maxWidth = Math.min(380, (right ? x : rect.width - x) - 16) + "px";
    tip.style.top = 30 * scale + "px";
  }

  function hide() {
    tip.hidden = true;
    for (const line of box.querySelectorAll(".cursor,.chosen")) line.remove();
  }

  function zoom(begin, end) {
    const min = whole / 1e5, width = Math.min(Math.max(end - begin, min), whole);
    from = Math.min(Math.max(begin, 0), whole - width);
    to = from + width;
    at = Math.min(Math.max(at, from), to);
    draw();
  }
  const scaleBy = (factor) => {
    const middle = tip.hidden ? (from + to) / 2 : at;
    zoom(middle - (middle - from) * factor, middle + (to - middle) * factor);
  };
  const shift = (fraction) => zoom(from + (to - from) * fraction, to + (to - from) * fraction);

  // Returns the next epoch at which a value changes, forwards or backwards.
  function change(forwards) {
    let best = forwards ? to : from;
    for (const series of data.series) for (const epoch of series.e) {
      if (forwards ? epoch > at && epoch < best : epoch < at && epoch > best) best = epoch;
    }
    return best;
  }

  function epochOf(event) {
    const picture = shown(), rect = picture.getBoundingClientRect(), area = frame(picture);
    const x = (event.clientX - rect.left) * picture.viewBox.baseVal.width / rect.width;
    return from + Math.min(Math.max((x - area.left) / area.width, 0), 1) * (to - from);
  }

  function choose(begin, end) {
    const picture = shown(), area = frame(picture), across = (epoch) => area.left + (epoch - from) / (to - from) * area.width;
    const rect = picture.querySelector(".chosen") || make("rect", { class: "chosen", y: 10 }, picture);
    rect.setAttribute("x", across(Math.min(begin, end)));
    rect.setAttribute("width", Math.abs(across(end) - across(begin)));
    rect.setAttribute("height", picture.querySelector(".cursor").getAttribute("y2") - 10);
  }

  if (pictures.length === 0 || box.querySelector("svg.panel") === null) return;
  document.querySelector(".controls").hidden = false;
  box.tabIndex = 0;
  box.addEventListener("pointerdown", (event) => { if (event.pointerType === "mouse" && !event.target.closest("a")) grabbed = epochOf(event); });
  box.addEventListener("pointermove", (event) => {
    point(epochOf(event));
    if (grabbed !== null) choose(grabbed, at);
  });
  box.addEventListener("pointerup", (event) => {
    const end = epochOf(event), begin = grabbed;
    grabbed = null;
    for (const rect of box.querySelectorAll(".chosen")) rect.remove();
    if (begin !== null && Math.abs(end - begin) > (to - from) / 50) zoom(Math.min(begin, end), Math.max(begin, end));
    else point(end);
  });
  box.addEventListener("pointerleave", () => { grabbed = null; hide(); });
  box.addEventListener("blur", hide);
  box.addEventListener("keydown", (event) => {
    const small = (to - from) / 100;
    const keys = {
      ArrowLeft: () => point(event.shiftKey ? change(false) : at - small), ArrowRight: () => point(event.shiftKey ? change(true) : at + small),
      Home: () => point(from), End: () => point(to), "+": () => scaleBy(0.5), "=": () => scaleBy(0.5), "-": () => scaleBy(2),
      "0": () => zoom(0, whole), Escape: () => { zoom(0, whole); hide(); }
    };
    if (keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) { keys[event.key](); event.preventDefault(); }
  });
  const actions = { in: () => scaleBy(0.5), out: () => scaleBy(2), earlier: () => shift(-0.5), later: () => shift(0.5), all: () => zoom(0, whole) };
  for (const button of document.querySelectorAll(".controls button")) button.addEventListener("click", actions[button.value]);
})();
