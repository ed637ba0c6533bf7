/** The editor of scenarios: TOML, completion from the schema, and what the engine says of each line. */

import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem, Warning } from "../engine/api";
import { h } from "../view/dom";
import { complete, type Schema } from "./complete";

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)" },
  { tag: tags.string, color: "var(--ack)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--data)" },
  { tag: [tags.heading, tags.bracket], color: "var(--rts)" },
  { tag: tags.propertyName, color: "var(--ink)" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--ground)", color: "var(--ink)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--soft)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--panel)" },
  ".cm-content": { caretColor: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--hear) !important" },
  ".cm-tooltip": {
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--ground)" },
  ".cm-completionInfo": { maxWidth: "260px", padding: "8px 10px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--loss)" },
});

/** Marks changes that do not come from the keyboard. */
const outside = Annotation.define<boolean>();

export class Editor {
  readonly element = h("div", { class: "editor" });
  private readonly view: EditorView;
  private schema: Schema | null = null;

  constructor(text: string, changed: (text: string) => void) {
    // In a shadow tree its styles are no elements of the page: the page's policy forbids those.
    const root = this.element.attachShadow({ mode: "open" });
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          StreamLanguage.define(toml),
          syntaxHighlighting(COLOURS),
          lintGutter(),
          autocompletion({ override: [(context) => this.complete(context)], activateOnTyping: true }),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "Scenario (TOML)" }),
          LOOK,
          EditorView.updateListener.of((update) => {
            const own = update.transactions.some((one) => one.annotation(outside));
            if (update.docChanged && !own) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Puts another text in place, as one step that can be undone. */
  set text(text: string) {
    if (text === this.text) return;
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      annotations: outside.of(true),
    });
  }

  learn(schema: unknown): void {
    this.schema = schema as Schema;
  }

  /** Opens the list of what can stand at the cursor. */
  suggest(): void {
    this.view.focus();
    startCompletion(this.view);
  }

  /** Shows what the engine says of the text. */
  mark(problems: readonly Problem[], warnings: readonly Warning[]): void {
    const { doc } = this.view.state;
    const found: Diagnostic[] = problems.map((problem) => {
      const line = doc.line(Math.min(doc.lines, Math.max(1, problem.line ?? 1)));
      const from = Math.min(line.to, line.from + Math.max(0, (problem.column ?? 1) - 1));
      const message = problem.key ? `${problem.key}: ${problem.message}` : problem.message;
      return { from, to: Math.max(from, line.to), severity: "error", message };
    });
    for (const warning of warnings) {
      const at = doc.line(1);
      found.push({ from: at.from, to: at.from, severity: "warning", message: warning.message });
    }
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  private complete(context: CompletionContext): CompletionResult | null {
    if (!this.schema) return null;
    const found = complete(this.schema, context.state.doc.toString(), context.pos);
    if (!found || (found.from === context.pos && !context.explicit)) return null;
    return {
      from: found.from,
      options: found.options.map(({ label, detail, info, apply }) => ({
        label,
        detail,
        apply,
        // A string is shown as text.
        ...(info ? { info: () => h("div", {}, info) } : {}),
      })),
      validFor: /^[[\]A-Za-z0-9_."-]*$/,
    };
  }
}
