/**
 * The core of this page, for the views: `import { core } from '../client/index.js'`, the texts of its failures
 * (`failure.ts`), and the push notifications of this browser (`push.ts`), which more than one view needs.
 *
 * The entry makes one core and gives it here before it renders. It is a variable of the module rather than a context of
 * the tree, because menus and dialogs are rendered in trees of their own (`openLayer`).
 */
import type { Core } from '../core/index.js';

export { formatFailureText } from './failure.js';
export type { PushState } from './push.js';

/** Push notifications of this browser. */
export const loadPushModule = () => import('./push.js');

/** Read it when a component renders or an event comes, never while modules load. */
export let core: Core;

export function provideCore(made: Core): void {
  core = made;
}
