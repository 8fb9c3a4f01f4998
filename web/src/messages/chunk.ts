import { toast } from '../kit/index.js';
import { addLaterTexts, t } from '../text/index.js';

type Later = typeof import('./later/index.js');

const load = async (): Promise<Later> => (await Promise.all([import('./later/index.js'), addLaterTexts()]))[0];

/** A component of the lazy chunk. */
export const fromLater =
  <K extends keyof Later>(name: K): (() => Promise<Later[K]>) =>
  async () =>
    (await load())[name];

/** Does something with the lazy chunk of menus, dialogs and widgets. */
export async function withLater(run: (later: Later) => unknown): Promise<void> {
  let later: Later;
  try {
    later = await load();
  } catch {
    toast({ text: t('error.unreachable'), kind: 'error' });
    return;
  }
  await run(later);
}
