/**
 * Every refusal that a client can receive, one entry per situation: code (absent where the API has none), HTTP status,
 * message template and the names of the data fields beside `msg`. Source: errors.md, conventions.md and the `errors` of
 * wire.json; of entries that only the peer raises none is here.
 */
import { bots } from './bots.js';
import { changes } from './changes.js';
import { common } from './common.js';
import { drafts } from './drafts.js';
import { files } from './files.js';
import { invitations } from './invitations.js';
import { messages } from './messages.js';
import { organization } from './organization.js';
import { presence } from './presence.js';
import { queues } from './queues.js';
import { shared } from './shared.js';
import { streams } from './streams.js';
import { typing } from './typing.js';
import { users } from './users.js';

export type { CatalogueEntry } from './entry.js';

export const catalogue = {
  ...common,
  ...shared,
  ...queues,
  ...messages,
  ...changes,
  ...drafts,
  ...typing,
  ...presence,
  ...streams,
  ...users,
  ...bots,
  ...files,
  ...organization,
  ...invitations,
} as const;
export type ErrorName = keyof typeof catalogue;
