/** Devices that want push notifications: a part each, named by the hash of the token, which is a text of the client's. */

import { createHash } from 'node:crypto';
import type { JsonObject } from '#base';
import type { Parts } from '#model';
import type { PushService } from '#model/commands';

export interface PushToken extends JsonObject {
  readonly service: PushService;
  readonly token: string;
  /** Of the app that registered it; null: not given. */
  readonly app: string | null;
  /** When it was registered last, ms. */
  readonly since: number;
}

export const PUSH_TOKEN_PART = 'push/';

export const pushTokenPart = (service: PushService, token: string): string =>
  `${PUSH_TOKEN_PART}${service}/${createHash('sha256').update(token).digest('hex').slice(0, 32)}`;

export const pushTokenParts = (parts: Parts): string[] =>
  [...parts.keys()].filter((part) => part.startsWith(PUSH_TOKEN_PART));
