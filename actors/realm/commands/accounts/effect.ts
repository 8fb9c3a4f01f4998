/** A change of an account, and what follows from it in the same commit. */

import type { Json } from '#base';
import type { LogItem } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import type { RealmView } from '../command.js';

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

export function mergeEffects(effects: readonly Effect[]): Required<Effect> {
  return {
    parts: Object.assign({}, ...effects.map(({ parts }) => parts)),
    events: effects.flatMap(({ events }) => events ?? []),
    commands: effects.flatMap(({ commands }) => commands ?? []),
  };
}
