import { effect } from '@preact/signals';
import { type Conversation, type Core, findExactNarrowConversation, makeConversationKey } from '../core/index.js';

/**
 * Name of the lock of the conversation that the reader sees. Other tabs can query it, and it ends with its tab. Without
 * Web Locks, a page knows its own focus only.
 */
const READING_LOCK_PREFIX = 'conclave/reading/';

const lockManager = 'locks' in navigator ? navigator.locks : undefined;
let ownReadConversationKey: string | undefined;

export function startHoldingReadingLock(core: Core): void {
  let release = () => {};
  effect(() => {
    const route = core.router.route.value;
    const conversation = route.view === 'narrow' ? findExactNarrowConversation(route.narrow) : undefined;
    const key = core.platform.focused.value && conversation ? makeConversationKey(conversation) : undefined;
    if (key === ownReadConversationKey) return;
    ownReadConversationKey = key;
    release();
    release = () => {};
    if (key === undefined) return;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    lockManager?.request(`${READING_LOCK_PREFIX}${key}`, { mode: 'shared' }, () => held).catch(() => {});
  });
}

/** Whether some tab of this browser shows the conversation and has the focus. */
export async function isConversationBeingRead(of: Conversation): Promise<boolean> {
  const key = makeConversationKey(of);
  if (ownReadConversationKey === key) return true;
  const { held = [] } = (await lockManager?.query()) ?? {};
  return held.some(({ name }) => name === `${READING_LOCK_PREFIX}${key}`);
}
