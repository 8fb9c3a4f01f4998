/**
 * Check: entries of outboxes that were not carried out. Only the next commit removes finished entries from a root. A
 * root whose owner lost it before that lists them until the actor is loaded again, which does no harm.
 */
import { type ActorKey, type LogEntry, LogItemGroupDeduplicator } from '#model';
import type { ActorRoot, StoreRecordWrite } from '#ports/store';
import type { MemoryStoreContents } from '../support/memory-store.js';

/** As stored (src/runtime/group.ts). */
interface Listed {
  readonly v: number;
  readonly records: readonly StoreRecordWrite[];
  readonly items: readonly unknown[];
  readonly sequences: readonly {
    readonly stages: readonly (readonly { readonly to: ActorKey; readonly name: string }[])[];
  }[];
  readonly ends?: true;
}

/** Numbers of commands follow from the version of the commit that sends them. */
const COMMANDS_PER_COMMIT = 2 ** 20;

/** In words; empty: all is done. @param log of the realm */
export function leftUndone(root: ActorRoot, log: readonly LogEntry[], store: MemoryStoreContents): string[] {
  const left: string[] = [];
  for (const listed of root.outbox) {
    const { v, records, items, sequences, ends } = listed as unknown as Listed;
    if (ends) left.push('its end');
    for (const record of records) if (!isApplied(record, store)) left.push(`a record of version ${v}`);
    const logged = itemsInLog(root.key, v, log);
    if (logged < items.length) left.push(`${items.length - logged} events of version ${v}`);
    const commands = sequences.flatMap(({ stages }) => stages.flat());
    commands.forEach(({ to, name }, i) => {
      const done = store.parts.get(to)?.get(`from/${root.key}`)?.value;
      if (typeof done !== 'number' || done < v * COMMANDS_PER_COMMIT + i) left.push(`${name} to ${to}`);
    });
  }
  return left;
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
