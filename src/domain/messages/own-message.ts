import type { StoredMessage } from './stored.js';

/** A message as one user has it. */
export interface OwnMessage {
  readonly message: StoredMessage;
  /** Without a copy: history that the user may read. */
  readonly copy: boolean;
  /** The copy came with a move between streams: it was read from the beginning. */
  readonly gained: boolean;
}
