/** Reader of a run's log that does not use the product's: drops repeats and computes the receivers of each event. */
import { isClientEventLogItem } from '#delivery';
import { type EventAudience, type LogItem, LogItemGroupDeduplicator } from '#model';
import type { LoggedEntry } from './record.js';

/** Event ids per log position (architecture/delivery.md § Event ids); a copy, so that a fault of the product shows. */
const EVENT_ID_SLOTS = 2 ** 13;
export const isLogEventId = (id: number): boolean => id % EVENT_ID_SLOTS < EVENT_ID_SLOTS / 2;
export const logPositionOf = (id: number): number => Math.floor(id / EVENT_ID_SLOTS);

export interface ExpectedEvent {
  readonly id: number;
  readonly seq: number;
  readonly actor: string;
  readonly version: number;
  readonly item: Extract<LogItem, { t: 'event' | 'message' }>;
  readonly receivers: ReadonlySet<number>;
}

export interface SentMessage {
  readonly id: number;
  readonly op: string;
  readonly actor: string;
  readonly stream: number;
  readonly sender: number;
  /** Users who were entitled to the message when it was committed. */
  readonly receivers: ReadonlySet<number>;
  readonly local: { readonly queue: string; readonly id: string } | undefined;
}

export interface ParsedLog {
  readonly events: readonly ExpectedEvent[];
  readonly messages: readonly SentMessage[];
  readonly problems: readonly string[];
  /** Members of each stream at the end of the run. */
  readonly members: ReadonlyMap<number, ReadonlySet<number>>;
  /** Users of each stream who were at some time former members. */
  readonly formerMembers: ReadonlyMap<number, ReadonlySet<number>>;
}

type Versions = { readonly mv: number; readonly members: ReadonlySet<number> }[];

const membersAt = (versions: Versions | undefined, mv: number): ReadonlySet<number> =>
  versions?.findLast((one) => one.mv <= mv)?.members ?? new Set();

export const opOf = (text: string): string => /^op\d+/.exec(text)?.[0] ?? '';

/** Reads all membership versions first, because an event may name a version that comes later in the log. */
function memberships(log: readonly LoggedEntry[]): Map<number, Versions> {
  const seen = new LogItemGroupDeduplicator();
  const streams = new Map<number, Versions>();
  for (const { entry } of log) {
    for (const group of entry.groups) {
      if (!seen.recordIfNew(entry.actor, group)) continue;
      for (const item of group.items) {
        if (item.t !== 'members') continue;
        const versions = streams.get(item.stream) ?? [];
        streams.set(item.stream, versions);
        const members = new Set(versions.at(-1)?.members);
        for (const user of item.join) members.add(user);
        for (const user of item.leave) members.delete(user);
        versions.push({ mv: item.mv, members });
      }
    }
  }
  return streams;
}

export function readLog(log: readonly LoggedEntry[], users: readonly number[]): ParsedLog {
  const problems: string[] = [];
  const streams = memberships(log);
  const seen = new LogItemGroupDeduplicator();
  const newestVersion = new Map<number, number>();
  const events: ExpectedEvent[] = [];
  const messages: SentMessage[] = [];
  const last = new Map<string, number>();
  const receiversOf = (to: EventAudience): Set<number> => {
    const receivers = new Set(to.users);
    const add = (of: Iterable<number>): void => {
      for (const user of of) receivers.add(user);
    };
    if (to.stream !== undefined && to.mv !== undefined) add(membersAt(streams.get(to.stream), to.mv));
    if (to.copyOf !== undefined) add(messages.find(({ id }) => id === to.copyOf)?.receivers ?? []);
    // The first user is the owner, the others are members; roles do not change in a run.
    if (to.role !== undefined) {
      users.forEach((user, i) => {
        const role = i === 0 ? 100 : 400;
        if (role <= to.role! && role > (to.weakerThan ?? 0)) receivers.add(user);
      });
    }
    for (const user of to.except ?? []) receivers.delete(user);
    return receivers;
  };
  for (const { seq, entry } of log) {
    let slot = 0;
    for (const group of entry.groups) {
      const isNew = seen.recordIfNew(entry.actor, group);
      if (isNew && group.v < (last.get(entry.actor) ?? 0)) problems.push(`log: ${entry.actor} goes back to ${group.v}`);
      if (isNew) last.set(entry.actor, group.v);
      for (const item of group.items) {
        slot++;
        if (!isNew) continue;
        if (item.t === 'members') newestVersion.set(item.stream, item.mv);
        if (!isClientEventLogItem(item)) continue;
        const receivers = receiversOf(item.to);
        const position = { id: seq * EVENT_ID_SLOTS + slot, seq, actor: entry.actor, version: group.v };
        events.push({ ...position, item, receivers });
        if (item.t !== 'message') continue;
        const { common, content } = item.message as { common: { id: number; sender_id: number }; content: string };
        const stream = item.to.stream ?? 0;
        // A message must go to the newest membership version of the log so far.
        if (stream !== 0 && item.to.mv !== newestVersion.get(stream)) {
          problems.push(`message ${common.id} goes to membership ${item.to.mv}, which is ${newestVersion.get(stream)}`);
        }
        const sent = { id: common.id, op: opOf(content), actor: entry.actor, stream, sender: common.sender_id };
        messages.push({ ...sent, receivers, local: item.local });
      }
    }
  }
  const members = new Map([...streams].map(([stream, versions]) => [stream, versions.at(-1)!.members]));
  const formerMembers = new Map(
    [...streams].map(([stream, versions]) => {
      const everMembers = new Set(versions.flatMap((one) => [...one.members]));
      const former = versions.flatMap((one, i) => [...everMembers].filter((user) => i > 0 && !one.members.has(user)));
      return [stream, new Set(former)];
    }),
  );
  return { events, messages, problems, members, formerMembers };
}
