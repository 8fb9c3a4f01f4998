import { effect, signal } from '@preact/signals';
import { type Conversation, type Core, conversationKey, narrowConversation } from '../core/index.js';

/**
 * The conversation that has the reader's eyes, as a lock that other tabs see and that dies with its tab. A page without
 * Web Locks knows its own focus only.
 */
const PREFIX = 'conclave/reading/';

const focused = signal(document.hasFocus());
const locks = 'locks' in navigator ? navigator.locks : undefined;
let own: string | undefined;

export function watchFocus(core: Core): void {
  const look = () => {
    focused.value = document.hasFocus() && document.visibilityState === 'visible';
  };
  for (const type of ['focus', 'blur'] as const) window.addEventListener(type, look);
  document.addEventListener('visibilitychange', look);
  let release = () => {};
  effect(() => {
    const route = core.router.route.value;
    const conversation = route.view === 'narrow' ? narrowConversation(route.narrow) : undefined;
    const key = focused.value && conversation ? conversationKey(conversation) : undefined;
    if (key === own) return;
    own = key;
    release();
    release = () => {};
    if (key === undefined) return;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    locks?.request(`${PREFIX}${key}`, { mode: 'shared' }, () => held).catch(() => {});
  });
}

/** Whether some tab of this browser shows the conversation and has the focus. */
export async function isBeingRead(of: Conversation): Promise<boolean> {
  const key = conversationKey(of);
  if (own === key) return true;
  const { held = [] } = (await locks?.query()) ?? {};
  return held.some(({ name }) => name === `${PREFIX}${key}`);
}
