import { AwaitedPart } from './awaited-part.js';

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

/** Style sheet and fonts of formulas. The page links the sheet, disabled. */
const formulaStyles = new AwaitedPart((settle) => {
  const link = document.querySelector<HTMLLinkElement>('link[data-later="formulas"]');
  if (!link) return;
  link.onload = settle;
  link.onerror = settle;
  link.disabled = false;
});

export const enableFormulaStyles = (): void => formulaStyles.request();

/**
 * Whether texts have their final height. The styles of formulas change it by up to half the screen of a phone, so a
 * list with a formula waits for them. (Fonts don't change it: KaTeX sets heights explicitly.) Reads a signal.
 */
export const areTextHeightsFinal = (texts: readonly string[]): boolean =>
  formulaStyles.isSettledIf(() => texts.some((html) => html.includes('class="katex')));
