/** Waits of a page that explain themselves: the error says what was awaited, and what the page showed instead. */
import type { Page } from 'puppeteer-core';

/** Methods of a page that end with an error when something does not come in time. */
const WAITS = ['evaluate', 'waitForFunction', 'waitForSelector', 'waitForNetworkIdle', 'goto', 'reload'] as const;
/** Time for the page to describe itself; a page that hangs can't. */
const DESCRIPTION_MS = 5_000;
const MAX_TEXT = 600;

/** Address, focus, overlays and text of the page, without what screen readers alone get. */
const DESCRIBE = `(() => {
  const short = (text, length) => (text ?? '').replace(/\\s+/g, ' ').trim().slice(0, length);
  const named = (e) => e && [e.localName, ...e.classList].join('.') + ' ' + short(e.ariaLabel ?? e.name ?? '', 60);
  const app = document.querySelector('main, .sign-in-card') ?? document.body;
  return {
    hash: location.hash,
    visibility: document.visibilityState + (document.hasFocus() ? ', focused' : ', not focused'),
    focus: named(document.activeElement),
    overlays: [...document.querySelectorAll('dialog, .popover')].map((e) =>
      named(e) + (e.matches('[open], :popover-open') ? '' : ' (not shown)') + ': ' + short(e.innerText, 200)),
    busy: [...document.querySelectorAll('.spinner, [aria-busy=true]')].map(named),
    status: short(document.querySelector('.status-line')?.innerText, 100),
    text: short(app.innerText, ${MAX_TEXT}),
  };
})()`;

/** Asks the page what it shows. Never rejects, since the answer stands in the report of another failure. */
export async function describePage(page: Page): Promise<Readonly<Record<string, unknown>>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
    timer = setTimeout(resolve, DESCRIPTION_MS, { silent: `no answer of the page within ${DESCRIPTION_MS} ms` });
  });
  try {
    return (await Promise.race([page.mainFrame().evaluate(DESCRIBE), late])) as Readonly<Record<string, unknown>>;
  } catch (error) {
    return { silent: String(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Makes the waits of a page explain a failure, together with the faults of the page. */
export function explainWaits(page: Page, faults: readonly string[]): void {
  for (const name of WAITS) {
    const wait = page[name].bind(page) as (...args: unknown[]) => Promise<unknown>;
    const explained = async (...args: unknown[]): Promise<unknown> => {
      // Made before the wait: the stack of a timer does not lead to the test.
      const failure = new Error();
      try {
        return await wait(...args);
      } catch (error) {
        const [awaited] = args;
        failure.message = `${name} ${typeof awaited === 'string' ? awaited : ''}: ${(error as Error).message}`;
        throw Object.assign(failure, { page: await describePage(page), faults });
      }
    };
    Object.assign(page, { [name]: explained });
  }
}
