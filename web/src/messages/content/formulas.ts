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

let areFormulaStylesLoaded = false;

/** Loads the styles and fonts of formulas: the page names them as a style sheet that is off. */
export function enableFormulaStyles(): void {
  if (areFormulaStylesLoaded) return;
  areFormulaStylesLoaded = true;
  const link = document.querySelector<HTMLLinkElement>('link[data-later="formulas"]');
  if (link) link.disabled = false;
}
