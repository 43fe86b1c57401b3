// The editor of the recipe: CodeMirror with findings as its diagnostics.

import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {json} from '@codemirror/lang-json';
import {python} from '@codemirror/lang-python';
import {yaml} from '@codemirror/lang-yaml';
import {bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting} from '@codemirror/language';
import {lintGutter, lintKeymap, setDiagnostics} from '@codemirror/lint';
import {highlightSelectionMatches, searchKeymap} from '@codemirror/search';
import {Compartment, EditorState} from '@codemirror/state';
import {drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers} from '@codemirror/view';
import {classHighlighter} from '@lezer/highlight';

const LANGUAGES = {py: python, json, ipynb: json};

const language_of = (name) => (LANGUAGES[name.split('.').pop()] ?? yaml)();

export class Editor {
  #language = new Compartment();

  // `on_change` is called after each change of the text.
  constructor(parent, on_change) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(), foldGutter(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(),
          highlightActiveLine(), highlightSelectionMatches(), indentUnit.of('  '),
          syntaxHighlighting(classHighlighter),
          // Tab moves the focus, so that the editor can be left with the keyboard.
          keymap.of([...lintKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...defaultKeymap]),
          EditorView.contentAttributes.of({'aria-label': 'Recipe', tabindex: '0'}),
          EditorView.updateListener.of((update) => update.docChanged && on_change()),
          this.#language.of(yaml()),
        ],
      }),
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  replace(text, name) {
    this.view.dispatch({
      changes: {from: 0, to: this.view.state.doc.length, insert: text},
      selection: {anchor: 0},
      effects: this.#language.reconfigure(language_of(name)),
    });
    this.view.scrollDOM.scrollTop = 0;
  }

  set_language(name) {
    this.view.dispatch({effects: this.#language.reconfigure(language_of(name))});
  }

  // Shows findings, each with {from, to, severity, message, actions}.
  show(findings) {
    this.view.dispatch(setDiagnostics(this.view.state, findings));
  }

  change(changes) {
    this.view.dispatch({changes, userEvent: 'input.fix'});
  }

  select(from, to) {
    this.view.dispatch({selection: {anchor: from, head: to}, effects: EditorView.scrollIntoView(from, {y: 'center'})});
    this.view.focus();
  }

  select_line(number) {
    const line = this.view.state.doc.line(Math.min(Math.max(number, 1), this.view.state.doc.lines));
    this.select(line.from, line.from);
  }
}
