/**
 * Controls of a page by role and accessible name, as a screen reader tells them. Puppeteer's own ARIA selectors ask
 * Chromium for its accessibility tree at each frame, which is a third of the CPU of a journey through the settings.
 */
import { buildSync } from 'esbuild';
import type { ElementHandle, Page } from 'puppeteer-core';

/** Elements that may have a role; the library tells which ones have it. */
const CANDIDATES = {
  button: 'button, summary, [role=button]',
  link: 'a[href]',
  textbox: 'input, textarea, [role=textbox]',
  combobox: 'select, input, [role=combobox]',
  switch: '[role=switch]',
  radio: 'input[type=radio], [role=radio]',
  tab: '[role=tab]',
} as const;

export type Role = keyof typeof CANDIDATES;

/** Script of each page: names are computed in the page, so that one look takes one message of the protocol. */
export const FIND_CONTROL = buildSync({
  stdin: {
    contents: `
      import { computeAccessibleName, getRole, isInaccessible } from 'dom-accessibility-api';
      export const find = (role, name, candidates) => [...document.querySelectorAll(candidates)].find(
        (e) => getRole(e) === role && computeAccessibleName(e) === name && !isInaccessible(e));
      /** The middle of an element that can be pressed: enabled, in sight, and under nothing else. */
      export const middle = (e) => {
        if (e === undefined || e.matches(':disabled, [aria-disabled=true]')) return undefined;
        e.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        const { x, y, width, height } = e.getBoundingClientRect();
        const at = [x + width / 2, y + height / 2];
        const hit = document.elementFromPoint(...at);
        return hit !== null && (e.contains(hit) || hit.closest('label')?.control === e) ? at : undefined;
      };`,
    resolveDir: import.meta.dirname,
  },
  ...{ bundle: true, minify: true, write: false, format: 'iife', globalName: 'controls' },
}).outputFiles[0]!.text;

/** Expression of the element. */
function found(role: Role, name: string, within: string): string {
  const candidates = `${within} :is(${CANDIDATES[role]})`;
  return `controls.find(${[role, name, candidates].map((one) => JSON.stringify(one)).join()})`;
}

/** Waits for a control. */
export function control(page: Page, role: Role, name: string, within = ':root'): Promise<ElementHandle<Element>> {
  return page.waitForFunction(found(role, name, within)) as Promise<ElementHandle<Element>>;
}

/** Whether the page has a control now. */
export async function hasControl(page: Page, role: Role, name: string): Promise<boolean> {
  return (await page.evaluate(`${found(role, name, ':root')} !== undefined`)) as boolean;
}

/** Presses a control with the mouse as soon as it is enabled and in sight. */
export async function press(page: Page, name: string, role: Role = 'button', within = ':root'): Promise<void> {
  const middle = await page.waitForFunction(`controls.middle(${found(role, name, within)})`);
  const [x, y] = (await middle.jsonValue()) as [number, number];
  await page.mouse.click(x, y);
}

/** Types a text into a field in place of what it has. */
export async function enter(page: Page, name: string, text: string, within = ':root'): Promise<void> {
  const field = await control(page, 'textbox', name, within);
  await field.evaluate((one) => (one as HTMLInputElement).select());
  await page.keyboard.sendCharacter(text);
}

/** Types into a field of the open dialog: the page behind it may have one of the same name. */
export const enterInDialog = (page: Page, name: string, text: string): Promise<void> =>
  enter(page, name, text, 'dialog');

/** Text of a field. */
export async function textIn(page: Page, name: string): Promise<string> {
  const field = await control(page, 'textbox', name);
  return field.evaluate((one) => (one as HTMLInputElement).value);
}

/** Chooses an option of a list by its text. */
export async function choose(page: Page, name: string, option: string): Promise<void> {
  const list = (await control(page, 'combobox', name)) as ElementHandle<HTMLSelectElement>;
  const options = await list.$$eval('option', (all) => all.map((one) => [one.textContent, one.getAttribute('value')]));
  await list.select(String(options.find(([text]) => text === option)?.[1]));
}
