/** A bot gets another API key: the old one is dead at once (users.md § API keys). */
import { type Json, userId } from '../../../src/core/index.js';
import type { LogItem, Suppliers } from '../../../src/runtime/index.js';
import { success } from '../../shared/replies.js';
import { type BotAccount, botUpdated, managedBot, storeBot } from '../bots.js';
import type { Parts } from '../state.js';
import type { RealmCommand } from './command.js';
import { actingUser } from './personal.js';

export interface NewKey {
  readonly keyHash: string;
  readonly keySealed: string;
}

/** For needs: keys are random. */
export function newKey(realm: Parameters<Suppliers['directory']>[0], { services }: Suppliers): NewKey {
  const key = services.secrets.newApiKey(realm);
  return { keyHash: services.secrets.keyHash(key), keySealed: services.secrets.seal(key) };
}

/** What is stored, and who hears of it. */
export function withNewKey(
  parts: Parts,
  { user, bot }: BotAccount,
  { keyHash, keySealed }: NewKey,
): { readonly parts: Readonly<Record<string, Json>>; readonly events: readonly LogItem[] } {
  const after = { user: { ...user, keyHash }, bot: { ...bot, keySealed } };
  const stored = storeBot(after, { user, bot });
  return { parts: stored.parts, events: [...stored.changes, botUpdated(parts, after, { api_key: keySealed })] };
}

export const regenerateBotKey: RealmCommand<{ readonly bot_id: number }, NewKey> = {
  needs: (_args, { realm }, suppliers) => newKey(realm, suppliers),
  handle({ parts }, { bot_id }, key, { caller, version }) {
    const account = managedBot(parts, userId(bot_id), actingUser(parts, caller));
    return { reply: success({ key_sealed: key.keySealed }, version), ...withNewKey(parts, account, key) };
  },
};
