/** Effects: pieces of an outcome that several areas contribute when an account changes. */

import type { Json } from '#base';
import type { LogItem } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import type { RealmActorView } from '../command.js';

/** A piece of a command's outcome: parts, log items and commands that are committed with it. */
export interface PartialCommit {
  readonly parts?: Readonly<Record<string, Json>>;
  readonly events?: readonly LogItem[];
  /** Commands sent after the commit, in any order. */
  readonly commands?: readonly OutboxCommand[];
}

export interface AccountChange {
  readonly before: DirectoryUser;
  readonly after: DirectoryUser;
}

/** Consequences of a change of an account (name, role, activity, …) for another area, in the same commit. */
export type AccountChangeHook = (change: AccountChange, view: RealmActorView, context: CommandContext) => PartialCommit;

export function mergePartialCommits(effects: readonly PartialCommit[]): Required<PartialCommit> {
  return {
    parts: Object.assign({}, ...effects.map(({ parts }) => parts)),
    events: effects.flatMap(({ events }) => events ?? []),
    commands: effects.flatMap(({ commands }) => commands ?? []),
  };
}
