/** Translation of the API's refusals, which come in English with their values filled in. */
import { memoizeByObject } from '#base';
import type { PageTexts } from './english-pages.js';

const PLACEHOLDER = /\{\w+\}/g;

interface RefusalPattern {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly translation: string;
}

const compileRefusalPatterns = memoizeByObject((refusals: PageTexts['refusals']): readonly RefusalPattern[] =>
  Object.entries(refusals).map(([text, translation]) => ({
    pattern: new RegExp(`^${text.replace(/[$()*+.?[\\\]^|]/g, '\\$&').replace(PLACEHOLDER, '([^]+)')}$`),
    names: text.match(PLACEHOLDER) ?? [],
    translation,
  })),
);

/** Returns a refusal in the language of these texts; unchanged if they have no translation of it. */
export function translatePageRefusal(text: string, { refusals }: PageTexts): string {
  for (const { pattern, names, translation } of compileRefusalPatterns(refusals)) {
    const found = pattern.exec(text);
    if (found) return translation.replace(PLACEHOLDER, (name) => found[names.indexOf(name) + 1] ?? name);
  }
  return text;
}
