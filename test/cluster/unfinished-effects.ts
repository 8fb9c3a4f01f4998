/**
 * Check: every outbox entry in a stored root was carried out. A root may still list finished entries, because only the
 * next commit of its actor removes them.
 */
import { type ActorKey, type LogEntry, LogItemGroupDeduplicator } from '#model';
import type { ActorRoot, StoreRecordWrite } from '#ports/store';
import type { MemoryStoreContents } from '../support/memory-store.js';

/** Outbox entry as stored (src/runtime/commit-batch.ts). */
interface StoredOutboxEntry {
  readonly v: number;
  readonly records: readonly StoreRecordWrite[];
  readonly items: readonly unknown[];
  readonly sequences: readonly {
    readonly stages: readonly (readonly { readonly to: ActorKey; readonly name: string }[])[];
  }[];
  readonly ends?: true;
}

/** Command numbers per commit: the number of a command is version × 2^20 + its index. */
const COMMANDS_PER_COMMIT = 2 ** 20;

/** @returns one text per effect that was not carried out. @param log entries of the actor's realm */
export function listUnfinishedEffects(root: ActorRoot, log: readonly LogEntry[], store: MemoryStoreContents): string[] {
  const unfinished: string[] = [];
  for (const entry of root.outbox) {
    const { v, records, items, sequences, ends } = entry as unknown as StoredOutboxEntry;
    if (ends) unfinished.push('the end of the actor');
    for (const record of records) if (!isApplied(record, store)) unfinished.push(`a record of version ${v}`);
    const loggedItems = itemsInLog(root.key, v, log);
    if (loggedItems < items.length) unfinished.push(`${items.length - loggedItems} events of version ${v}`);
    const commands = sequences.flatMap(({ stages }) => stages.flat());
    commands.forEach(({ to, name }, i) => {
      const lastExecuted = store.parts.get(to)?.get(`from/${root.key}`)?.value;
      if (typeof lastExecuted !== 'number' || lastExecuted < v * COMMANDS_PER_COMMIT + i)
        unfinished.push(`${name} to ${to}`);
    });
  }
  return unfinished;
}

function isApplied(record: StoreRecordWrite, { parts, messages }: MemoryStoreContents): boolean {
  const stored =
    record.type === 'part' ? parts.get(record.key)?.get(record.part) : messages.get(record.realm)?.get(record.id);
  return stored !== undefined && stored.rev >= record.rev;
}

function itemsInLog(key: ActorKey, v: number, log: readonly LogEntry[]): number {
  const seen = new LogItemGroupDeduplicator();
  let found = 0;
  for (const { actor, groups } of log) {
    if (actor !== key) continue;
    for (const group of groups) if (seen.recordIfNew(actor, group) && group.v === v) found += group.items.length;
  }
  return found;
}
