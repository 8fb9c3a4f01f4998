import { signal } from '@preact/signals';

/** Properties that KaTeX sets. */
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

/**
 * Applies the styles that `sanitize.ts` has put into `data-style`: the policy of the page refuses `style` attributes.
 */
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

/** Formulas are shown without their styles after this time. */
const MAX_STYLE_WAIT_MS = 3_000;

let areFormulaStylesRequested = false;
/** Whether the style sheet is loaded, has failed or is late. */
const areFormulaStylesSettled = signal(false);

/** Loads the styles and fonts of formulas. The page links their style sheet, disabled. */
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
 * Whether texts have their final height. The styles of formulas change it by up to half the screen of a phone, so a
 * list with a formula waits for them, usually some milliseconds. (Fonts don't change it: KaTeX sets heights
 * explicitly.) Reads a signal.
 */
export function areTextHeightsFinal(texts: readonly string[]): boolean {
  if (areFormulaStylesSettled.value || !texts.some((html) => html.includes('class="katex'))) return true;
  enableFormulaStyles();
  return false;
}
