// The timeline: a sandboxed frame with the page of `timeline --format html`.

export class Timeline {
  #ready = false;
  #page = null;

  constructor(frame, select_line) {
    this.frame = frame;
    window.addEventListener('message', ({source, data}) => {
      if (source !== frame.contentWindow) return;
      if (data.ready) this.#begin();
      if (Number.isFinite(data.height)) frame.style.height = `${Math.min(Math.max(data.height, 120), 20_000)}px`;
      if (Number.isInteger(data.line)) select_line(data.line);
    });
    frame.src = 'frame.html';
  }

  #begin() {
    this.#ready = true;
    this.#send();
  }

  show(page) {
    if (page === this.#page) return;
    this.#page = page;
    this.#send();
  }

  #send() {
    // The origin of a sandboxed frame has no name.
    if (this.#ready && this.#page !== null) this.frame.contentWindow.postMessage({page: this.#page}, '*');
  }
}
