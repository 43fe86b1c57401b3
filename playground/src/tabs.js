// Tabs after the pattern of the ARIA practices guide: arrow keys move, Home and End go to the ends.

export class Tabs {
  #tabs;

  constructor(list, on_select) {
    this.#tabs = [...list.querySelectorAll('[role=tab]')];
    this.on_select = on_select;
    for (const tab of this.#tabs) tab.addEventListener('click', () => this.select(tab.dataset.tab));
    list.addEventListener('keydown', (event) => this.#key(event));
  }

  get selected() {
    return this.#tabs.find((tab) => tab.ariaSelected === 'true').dataset.tab;
  }

  select(name, silent = false) {
    const chosen = this.#tabs.find((tab) => tab.dataset.tab === name) ?? this.#tabs[0];
    for (const tab of this.#tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls')).hidden = tab !== chosen;
    }
    if (!silent) this.on_select();
  }

  #key(event) {
    const at = this.#tabs.indexOf(document.activeElement);
    const count = this.#tabs.length;
    const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: count - 1}[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const tab = this.#tabs[(next + count) % count];
    tab.focus();
    this.select(tab.dataset.tab);
  }
}
