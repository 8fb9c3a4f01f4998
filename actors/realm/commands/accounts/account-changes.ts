/** What changing an account does: it is stored, replicas and clients hear of it, and other features follow. */

import type { JsonObject } from '#base';
import type { LogItem } from '#model';
import type { CommandContext } from '#runtime';
import { asPart, USER_PART } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import { tellEverybody } from '../personal/personal.js';
import type { RealmView } from '../subscriptions/subscribe.js';
import type { AccountChange, Effect } from './account-change.js';
import { ACCOUNT_EFFECTS } from './account-effects.js';

export function together(effects: readonly Effect[]): Required<Effect> {
  return {
    parts: Object.assign({}, ...effects.map(({ parts }) => parts)),
    events: effects.flatMap(({ events }) => events ?? []),
    commands: effects.flatMap(({ commands }) => commands ?? []),
  };
}

/** @param own what clients hear of the change itself, before they hear what follows from it */
export function accountChanged(
  change: AccountChange,
  own: Effect,
  view: RealmView,
  context: CommandContext,
): Required<Effect> {
  const { after } = change;
  return together([
    {
      parts: { [`${USER_PART}${after.id}`]: asPart(after) },
      events: [tellReplicas({ user: after })],
    },
    own,
    ...ACCOUNT_EFFECTS.map((effect) => effect(change, view, context)),
  ]);
}

/** @param person fields beside the id */
export const personUpdate = (version: number, user: number, person: JsonObject): LogItem =>
  tellEverybody(version, { type: 'realm_user', op: 'update', person: { user_id: user, ...person } });
