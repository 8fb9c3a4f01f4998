/** Reads the log of a run without the product's readers: drops repeats, and finds the users who must get each event. */
import { isClientEventLogItem } from '#delivery';
import { type EventAudience, type LogItem, LogItemGroupDeduplicator } from '#model';
import type { LoggedEntry } from './record.js';

/** Ids of events: as architecture/delivery.md § Event ids says, and not as the product computes them. */
const SLOTS = 2 ** 13;
export const isOfLog = (id: number): boolean => id % SLOTS < SLOTS / 2;
export const seqOf = (id: number): number => Math.floor(id / SLOTS);

export interface ExpectedEvent {
  readonly id: number;
  readonly seq: number;
  readonly actor: string;
  readonly version: number;
  readonly item: Extract<LogItem, { t: 'event' | 'message' }>;
  readonly receivers: ReadonlySet<number>;
  /** Users who get the event in clients of newer API levels, which don't keep streams that their user has left. */
  readonly receiversAtNewerLevels: ReadonlySet<number>;
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
  /** Stream → members at the end. */
  readonly members: ReadonlyMap<number, ReadonlySet<number>>;
  /** Stream → those who were ever out of it after they had been in. */
  readonly left: ReadonlyMap<number, ReadonlySet<number>>;
}

type Versions = { readonly mv: number; readonly members: ReadonlySet<number> }[];

const at = (versions: Versions | undefined, mv: number): ReadonlySet<number> =>
  versions?.findLast((one) => one.mv <= mv)?.members ?? new Set();

const everAt = (versions: Versions | undefined, mv: number): ReadonlySet<number> =>
  new Set((versions ?? []).filter((one) => one.mv <= mv).flatMap(({ members }) => [...members]));

export const opOf = (text: string): string => /^op\d+/.exec(text)?.[0] ?? '';

/** Memberships by version: the realm's and the users' events may name one that comes later in the log. */
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

export function readLog(log: readonly LoggedEntry[], people: readonly number[]): ParsedLog {
  const problems: string[] = [];
  const streams = memberships(log);
  const seen = new LogItemGroupDeduplicator();
  const present = new Map<number, number>();
  const events: ExpectedEvent[] = [];
  const messages: SentMessage[] = [];
  const last = new Map<string, number>();
  const receiversOf = (to: EventAudience, keepFormerStreams = true): Set<number> => {
    const found = new Set(to.users);
    const add = (of: Iterable<number>): void => {
      for (const user of of) found.add(user);
    };
    if (to.stream !== undefined && to.mv !== undefined) {
      add((to.former && keepFormerStreams ? everAt : at)(streams.get(to.stream), to.mv));
    }
    if (to.copyOf !== undefined) add(messages.find(({ id }) => id === to.copyOf)?.receivers ?? []);
    // Owner and members: roles don't change in a run.
    if (to.role !== undefined) {
      people.forEach((user, i) => {
        const role = i === 0 ? 100 : 400;
        if (role <= to.role! && role > (to.weakerThan ?? 0)) found.add(user);
      });
    }
    for (const user of to.except ?? []) found.delete(user);
    if (to.neverIn && keepFormerStreams)
      for (const user of everAt(streams.get(to.neverIn.stream), to.neverIn.mv)) found.delete(user);
    return found;
  };
  for (const { seq, entry } of log) {
    let slot = 0;
    for (const group of entry.groups) {
      const fresh = seen.recordIfNew(entry.actor, group);
      if (fresh && group.v < (last.get(entry.actor) ?? 0)) problems.push(`log: ${entry.actor} goes back to ${group.v}`);
      if (fresh) last.set(entry.actor, group.v);
      for (const item of group.items) {
        slot++;
        if (!fresh) continue;
        if (item.t === 'members') present.set(item.stream, item.mv);
        if (!isClientEventLogItem(item)) continue;
        const receivers = receiversOf(item.to);
        const place = { id: seq * SLOTS + slot, seq, actor: entry.actor, version: group.v };
        events.push({ ...place, item, receivers, receiversAtNewerLevels: receiversOf(item.to, false) });
        if (item.t !== 'message') continue;
        const { common, content } = item.message as { common: { id: number; sender_id: number }; content: string };
        const stream = item.to.stream ?? 0;
        // The audience of a message at its commit follows from the earlier entries of the log.
        if (stream !== 0 && item.to.mv !== present.get(stream)) {
          problems.push(`message ${common.id} goes to membership ${item.to.mv}, which is ${present.get(stream)}`);
        }
        const sent = { id: common.id, op: opOf(content), actor: entry.actor, stream, sender: common.sender_id };
        messages.push({ ...sent, receivers, local: item.local });
      }
    }
  }
  const members = new Map([...streams].map(([stream, versions]) => [stream, versions.at(-1)!.members]));
  const left = new Map(
    [...streams].map(([stream, versions]) => {
      const ever = new Set(versions.flatMap((one) => [...one.members]));
      const out = versions.flatMap((one, i) => [...ever].filter((user) => i > 0 && !one.members.has(user)));
      return [stream, new Set(out)];
    }),
  );
  return { events, messages, problems, members, left };
}
