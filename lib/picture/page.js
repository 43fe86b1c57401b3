(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("box"), tip = document.getElementById("tip");
  const pictures = Array.from(box.querySelectorAll("svg.pic"));
  const whole = data.epochs > 0 ? data.epochs : 1;
  let from = 0, to = whole, at = 0, grabbed = null;

  const make = (name, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    return parent.appendChild(node);
  };
  for (const panel of box.querySelectorAll("svg.panel")) panel.dataset.rows = panel.getAttribute("viewBox").split(" ").filter((_, at) => at % 2 === 1).join(" ");
  const number = (value) => Number(value.toPrecision(4)).toString();
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

  function draw() {
    for (const picture of pictures) {
      const area = frame(picture);
      for (const panel of picture.querySelectorAll("svg.panel")) {
        const width = Number(panel.getAttribute("width")), [y, height] = panel.dataset.rows.split(" ");
        panel.setAttribute("viewBox", [from / whole * width, y, Math.max((to - from) / whole * width, 1e-9), height].join(" "));
      }
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

  function row(name, value) {
    const line = document.createElement("div");
    for (const text of [name, value]) line.appendChild(document.createElement("span")).textContent = text;
    tip.appendChild(line);
  }

  // Shows the active values at an epoch.
  function point(epoch) {
    at = Math.min(Math.max(epoch, from), to);
    const step = Math.min(Math.floor(at * data.steps_per_epoch), data.steps);
    tip.replaceChildren();
    tip.appendChild(document.createElement("b")).textContent = "epoch " + number(at) + ", step " + step;
    for (const series of data.series) {
      const value = valueAt(series, at);
      row(series.name, value === null ? "-" : number(value));
    }
    for (const band of data.bands) if (band.b <= at && (at < band.e || at === data.epochs)) row(band.name, "active");
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
    tip.style.maxWidth = Math.min(330, (right ? x : rect.width - x) - 16) + "px";
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
