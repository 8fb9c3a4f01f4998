import { signal } from '@preact/signals';

/** Properties that KaTeX sets on single elements, and cells of tables. */
const ALLOWED_FORMULA_STYLES = new Set([
  'border-bottom-width',
  'border-right-style',
  'border-right-width',
  'border-style',
  'border-top-width',
  'border-width',
  'bottom',
  'color',
  'background-color',
  'border-color',
  'height',
  'left',
  'margin-left',
  'margin-right',
  'margin-top',
  'min-width',
  'padding-left',
  'top',
  'vertical-align',
  'width',
]);
const SAFE_STYLE_VALUE_PATTERN = /^[-+.#%\w ]{1,60}$/;

/** Gives elements the styles that the page's policy refuses as attributes. */
export function applyAllowedDataStyles(root: DocumentFragment): void {
  for (const element of root.querySelectorAll<HTMLElement>('[data-style]')) {
    const text = element.dataset.style ?? '';
    delete element.dataset.style;
    const inFormula = element.closest('.katex') !== null;
    for (const rule of text.split(';')) {
      const [name = '', value = ''] = rule.split(':').map((part) => part.trim());
      const allowed = inFormula ? ALLOWED_FORMULA_STYLES.has(name) : name === 'text-align';
      if (allowed && SAFE_STYLE_VALUE_PATTERN.test(value)) element.style.setProperty(name, value);
    }
  }
}

/** Without the styles after this time, formulas are shown as they are. */
const MAX_STYLE_WAIT_MS = 3_000;

let areFormulaStylesRequested = false;
/** The style sheet is there, or did not come in time. */
const areFormulaStylesSettled = signal(false);

/** Loads the styles and fonts of formulas: the page names them as a style sheet that is off. */
export function enableFormulaStyles(): void {
  if (areFormulaStylesRequested) return;
  areFormulaStylesRequested = true;
  const settle = () => {
    areFormulaStylesSettled.value = true;
  };
  setTimeout(settle, MAX_STYLE_WAIT_MS);
  const link = document.querySelector<HTMLLinkElement>('link[data-later="formulas"]');
  if (!link) return;
  link.onload = settle;
  link.onerror = settle;
  link.disabled = false;
}

/**
 * Whether texts have the height that they keep. A formula without its styles is higher by half of a phone's screen, so
 * a list with one waits for them, for some milliseconds after the texts. (Fonts move nothing: a formula names the
 * heights of its parts.) Reads a signal.
 */
export function haveTextsTheirHeight(texts: readonly string[]): boolean {
  if (areFormulaStylesSettled.value || !texts.some((html) => html.includes('class="katex'))) return true;
  enableFormulaStyles();
  return false;
}
