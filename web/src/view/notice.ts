/** What stands in place of the view where it cannot be shown: a sentence, its reasons, and the command that helps. */

import type { Checked, Problem } from "../engine/api";
import { EngineError } from "../engine/api";
import { h } from "./dom";
import { MOST_MEMORY, MOST_TEXT, Refusal } from "./load";
import { plain } from "./words";

export function notice(
  title: string,
  sentences: string[],
  problems: HTMLElement | null,
  command: string | null,
): HTMLElement {
  return h(
    "section",
    { class: "notice", role: "alert" },
    h("h2", {}, title),
    ...sentences.map((sentence) => h("p", {}, sentence)),
    problems,
    command ? h("p", {}, "This command runs it:") : null,
    command ? h("pre", {}, h("code", {}, command)) : null,
  );
}

/** Problems of a scenario, each with its line and the text that stands there. */
export function problemList(problems: Problem[], text: string): HTMLElement {
  const lines = text.split("\n");
  return h(
    "ol",
    { class: "problems" },
    ...problems.map(({ key, message, line }) => {
      const source = line === undefined ? undefined : lines[line - 1];
      return h(
        "li",
        {},
        line === undefined ? null : h("b", {}, `line ${line}: `),
        key ? h("code", {}, plain(key)) : null,
        key ? ": " : null,
        plain(message),
        source === undefined ? null : h("pre", {}, plain(source.slice(0, 200))),
      );
    }),
  );
}

/** Why a scenario cannot be shown; null: it can. */
export function refusalOf(checked: Checked, text: string, command: string): HTMLElement | null {
  if (checked.problems.length) {
    const count = checked.problems.length === 1 ? "a problem" : `${checked.problems.length} problems`;
    return notice(`The scenario has ${count}`, [], problemList(checked.problems, text), null);
  }
  if (checked.elsewhere) {
    // The command of this scenario stands below; the engine knows only how such a command looks.
    const reason = plain(checked.elsewhere).replace(/; `hopscope run FILE` runs it$/, ".");
    return notice("This scenario cannot run in a page", [reason], null, command);
  }
  if (checked.cost && checked.cost.memory_bytes > MOST_MEMORY) {
    const size = (checked.cost.memory_bytes / 1e9).toFixed(1);
    return notice(
      "This scenario is too large for a page",
      [`It would take about ${size} GB of memory.`],
      null,
      command,
    );
  }
  return null;
}

export function tooLong(text: string, command: string): HTMLElement | null {
  if (text.length <= MOST_TEXT) return null;
  const size = (text.length / 1e6).toFixed(1);
  return notice("This file is too large for a page", [`It has ${size} million characters.`], null, command);
}

/** An error of any kind as a notice. */
export function noticeOf(error: unknown, text: string, command: string | null): HTMLElement {
  if (error instanceof EngineError) {
    return notice("The engine refuses this scenario", [], problemList(error.problems, text), command);
  }
  const message = error instanceof Error ? error.message : String(error);
  return notice(
    "This page cannot show the run",
    [message],
    null,
    error instanceof Refusal ? (error.command ?? command) : command,
  );
}
