/** What changing an account does: it is stored, replicas and clients hear of it, and other features follow. */
import type { Json, JsonObject } from '#base';
import type { LogItem } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { asPart, USER_PART } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import { tellEverybody } from '../personal/personal.js';
import type { RealmView } from '../subscriptions/subscribe.js';
import { ACCOUNT_EFFECTS } from './account-effects.js';

/** Part of an outcome. */
export interface Effect {
  readonly parts?: Readonly<Record<string, Json>>;
  readonly events?: readonly LogItem[];
  /** All of them after the commit, in any order. */
  readonly commands?: readonly OutboxCommand[];
}

export interface AccountChange {
  readonly before: DirectoryUser;
  readonly after: DirectoryUser;
}

/** What follows from a change of an account (name, role, activity, …) for another feature; in the same commit. */
export type AccountEffect = (change: AccountChange, view: RealmView, context: CommandContext) => Effect;

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
