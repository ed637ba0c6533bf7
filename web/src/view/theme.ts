/** Light or dark: as the surroundings prefer, until the viewer chooses. */

import { type Palette, paint, paletteOf } from "./palette";

const KEY = "hopscope-theme";

/** Storage is refused on some pages, such as files; then the choice lasts as long as the page. */
function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export class Theme {
  private readonly query = matchMedia("(prefers-color-scheme: dark)");
  private chosen: string | null = stored();
  private readonly listeners = new Set<(palette: Palette) => void>();

  constructor() {
    this.query.addEventListener("change", () => this.apply());
    this.apply();
  }

  get isDark(): boolean {
    return this.chosen ? this.chosen === "dark" : this.query.matches;
  }

  get palette(): Palette {
    return paletteOf(this.isDark);
  }

  toggle(): void {
    this.chosen = this.isDark ? "light" : "dark";
    try {
      localStorage.setItem(KEY, this.chosen);
    } catch {
      // The page may not keep anything: the choice still holds until it is closed.
    }
    this.apply();
  }

  /** Calls at each change, until the returned function is called. */
  follow(listener: (palette: Palette) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.isDark ? "dark" : "light";
    document.documentElement.style.colorScheme = this.isDark ? "dark" : "light";
    paint(document.documentElement, this.palette);
    for (const listener of this.listeners) listener(this.palette);
  }
}
