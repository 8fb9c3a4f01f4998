import { effect, type ReadonlySignal } from '@preact/signals';
import { formatSessionHint } from '../contract/index.js';
import type { SessionState } from '../core/index.js';

/** The server ends a session that was not used for 30 days. */
const MAX_AGE_S = 30 * 86_400;

/** Keeps the cookie by which the next page registers without asking for the session first (web/src/early.ts). */
export function keepSessionHint(state: ReadonlySignal<SessionState>): void {
  effect(() => {
    const { value } = state;
    if (value === 'unknown') return;
    const age = value === 'signed-in' ? MAX_AGE_S : 0;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is missing in older browsers and without TLS
    document.cookie = `${formatSessionHint(location.port)};samesite=strict;path=/;max-age=${age}`;
  });
}
