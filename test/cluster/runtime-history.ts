/** Checks of a finished run of the runtime simulation, from the Store's history, the log and the responses. */
import { type ActorKey, type LogEntry, LogItemGroupDeduplicator } from '#model';
import type { ActorRoot } from '#ports/store';
import { type LedgerState, type OpArgs, REALM } from './kinds.js';
import type { RuntimeSimulation } from './runtime-simulation.js';

export interface CommandRecord {
  readonly command: string;
  readonly to: ActorKey;
  readonly args: OpArgs;
  readonly startStep: number;
  endStep: number;
  outcome: 'open' | 'value' | 'refused' | 'timeout' | 'failed';
  value: unknown;
  /** Operations on the same ledger that had a response when this command was sent. */
  knownBefore?: readonly string[];
}

/** Roots of a memory Store that also keep every committed version, and record versions or epochs out of order. */
export class RecordedRoots extends Map<ActorKey, ActorRoot> {
  readonly versions: Map<ActorKey, ActorRoot[]>;
  readonly problems: string[];
  readonly endedActors = new Set<ActorKey>();
  /** First stored root of each actor. */
  readonly firstRoots = new Map<ActorKey, ActorRoot>();

  constructor(before: Iterable<readonly [ActorKey, ActorRoot]> = []) {
    super();
    this.versions = new Map();
    this.problems = [];
    for (const [key, root] of before) {
      super.set(key, root);
      this.versions.set(
        key,
        Array.from({ length: root.version }, () => root),
      );
    }
  }

  override set(key: ActorKey, root: ActorRoot): this {
    if (!this.firstRoots.has(key)) this.firstRoots.set(key, root);
    const past = this.versions.get(key) ?? [];
    this.versions.set(key, past);
    const last = past.at(-1);
    if (last && root.epoch < last.epoch) this.problems.push(`${key}: epoch ${root.epoch} after ${last.epoch}`);
    if (root.version === (last?.version ?? 0) + 1) past.push(root);
    else if (root.version !== last?.version)
      this.problems.push(`${key}: version ${root.version} after ${last?.version}`);
    else past[past.length - 1] = root;
    return super.set(key, root);
  }

  /** Forgets the versions of the ended actor, because a late command may create the actor again. */
  override delete(key: ActorKey): boolean {
    this.versions.delete(key);
    this.endedActors.add(key);
    return super.delete(key);
  }

  ops(key: ActorKey): readonly string[] {
    return (this.get(key)?.state as LedgerState | undefined)?.ops ?? [];
  }
}

interface LoggedOperation {
  readonly actor: ActorKey;
  readonly op: string;
}

/** @returns one text per violated guarantee */
export function checkHistory(
  simulation: RuntimeSimulation,
  commands: readonly CommandRecord[],
  ledgers: readonly ActorKey[],
): string[] {
  const problems = [...simulation.roots.problems];
  const log = readLog(simulation, problems);
  for (const key of ledgers) {
    checkStates(simulation, key, problems);
    checkLog(simulation.roots.ops(key), key, log, problems);
  }
  checkResponses(simulation, commands, problems);
  checkStages(commands, simulation, log, problems);
  checkIds(simulation, commands, ledgers, problems);
  for (const root of simulation.roots.values()) {
    if (root.outbox.length > 0) problems.push(`${root.key}: outbox left with ${root.outbox.length} entries`);
    if (root.due !== null) problems.push(`${root.key}: still due`);
  }
  return problems;
}

/** @returns the operations in the log without repeated entries */
function readLog(simulation: RuntimeSimulation, problems: string[]): LoggedOperation[] {
  const seen = new LogItemGroupDeduplicator();
  const items: LoggedOperation[] = [];
  const last = new Map<ActorKey, number>();
  for (const { value } of simulation.log.contents.entries(REALM)) {
    const { actor, groups } = value as unknown as LogEntry;
    for (const group of groups) {
      const ops = group.items.map((item) => (item as unknown as { event: { op: string } }).event.op);
      for (const op of ops)
        if (!simulation.roots.ops(actor).includes(op)) problems.push(`log holds ${op}: not committed`);
      if (!seen.recordIfNew(actor, group)) continue;
      if (group.v < (last.get(actor) ?? 0)) problems.push(`log: ${actor} goes back to ${group.v}`);
      last.set(actor, group.v);
      for (const op of ops) items.push({ actor, op });
    }
  }
  return items;
}

/** Each version keeps the operations of the version before; each operation occurs once; parts match the root. */
function checkStates(simulation: RuntimeSimulation, key: ActorKey, problems: string[]): void {
  let before: readonly string[] = [];
  for (const { version, state } of simulation.roots.versions.get(key) ?? []) {
    const { ops, total } = state as LedgerState;
    if (before.some((op, i) => ops[i] !== op))
      problems.push(`${key}: version ${version} lacks committed operations of the version before`);
    if (total !== ops.length) problems.push(`${key}: total ${total} of ${ops.length} operations`);
    before = ops;
  }
  if (before.includes('fired:null')) problems.push(`${key}: a timer fired without a scheduled operation`);
  if (new Set(before).size !== before.length) problems.push(`${key}: applied twice: ${duplicatesIn(before).join()}`);
  const parts = [...(simulation.store.contents.parts.get(key) ?? [])]
    .filter(([name, part]) => name.startsWith('e/') && part.value !== null)
    .map(([name]) => name.slice(2));
  const differ = symmetricDifference(new Set(parts), new Set(before));
  if (differ.length > 0) problems.push(`${key}: parts and root differ in ${differ.join()}`);
}

function checkLog(ops: readonly string[], key: ActorKey, log: readonly LoggedOperation[], problems: string[]): void {
  const logged = log.filter((seen) => seen.actor === key).map((seen) => seen.op);
  if (logged.join() !== ops.join()) {
    const wrong = symmetricDifference(new Set(logged), new Set(ops));
    problems.push(`${key}: log and root differ (${wrong.join() || `order, ${logged.length} against ${ops.length}`})`);
  }
}

function checkResponses(simulation: RuntimeSimulation, commands: readonly CommandRecord[], problems: string[]): void {
  for (const { command, to, args, outcome, value, knownBefore } of commands) {
    if (outcome === 'open') problems.push(`${args.op} has no response`);
    if (outcome !== 'value') continue;
    if (command === 'read' || command === 'readLogged') {
      const { total, version } = value as { total: number; version: number };
      const root = simulation.roots.versions.get(to)?.[version - 1];
      const ops = (root?.state as LedgerState | undefined)?.ops ?? [];
      if (total !== ops.length)
        problems.push(`${args.op}: read ${total} at version ${version}, which has ${ops.length}`);
      const missed = knownBefore?.filter((op) => simulation.roots.ops(to).includes(op) && !ops.includes(op)) ?? [];
      if (missed.length > 0) problems.push(`${args.op} misses ${missed.join()}`);
    } else if (value !== 'waiting' && !simulation.roots.ops(to).includes(args.op)) {
      problems.push(`${args.op} has a response but is not committed`);
    }
    if (command !== 'schedule' || value === 'waiting') continue;
    const ends = ['fired', 'cancelled'].filter((end) => simulation.roots.ops(to).includes(`${end}:${args.op}`));
    if (ends.length !== 1) problems.push(`${args.op} was ${ends.length === 0 ? 'never fired' : ends.join(' and ')}`);
  }
}

/** Log entries of the commands that a command sends come after its own entry, and stage by stage. */
function checkStages(
  commands: readonly CommandRecord[],
  simulation: RuntimeSimulation,
  log: readonly LoggedOperation[],
  problems: string[],
): void {
  const at = new Map(log.map(({ op }, i) => [op, i]));
  const holds = new Map<ActorKey, { op: string; last: number }[]>();
  for (const { command, to, args } of commands) {
    const own = at.get(args.op);
    if (own === undefined || !args.stages) continue;
    let after = own;
    args.stages.forEach((targets, s) => {
      const places = targets.map((_, i) => at.get(`${args.op}.${s}.${i}`) ?? -1);
      if (places.includes(-1)) problems.push(`${args.op}: a command of stage ${s} did not run`);
      if (Math.min(...places) < after) problems.push(`${args.op}: effects of stage ${s} come too early in the log`);
      after = Math.max(...places);
    });
    if (command === 'hold') holds.set(to, [...(holds.get(to) ?? []), { op: args.op, last: after }]);
  }
  for (const [key, of] of holds) {
    const order = of.sort((a, b) => simulation.roots.ops(key).indexOf(a.op) - simulation.roots.ops(key).indexOf(b.op));
    order.forEach(({ op }, i) => {
      const before = order[i - 1];
      if (before && (at.get(op) ?? 0) < before.last)
        problems.push(`${op} began before the commands of ${before.op} ran`);
    });
  }
}

/** Message ids are unique, increase within an actor, and increase from a response to any later post. */
function checkIds(
  simulation: RuntimeSimulation,
  commands: readonly CommandRecord[],
  ledgers: readonly ActorKey[],
  problems: string[],
): void {
  const messages = [...(simulation.store.contents.messages.get(REALM)?.values() ?? [])].map((m) => m.value!);
  const byOp = new Map(messages.map((m) => [m.body.op as string, m.id]));
  const committed = ledgers.flatMap((key) => simulation.roots.ops(key)).filter((op) => op.startsWith('post'));
  for (const op of committed) if (!byOp.has(op)) problems.push(`${op}: its message is missing`);
  if (byOp.size !== committed.length) problems.push(`${byOp.size} messages of ${committed.length} posts`);
  for (const key of ledgers) {
    const own = simulation.roots
      .ops(key)
      .filter((op) => op.startsWith('post'))
      .map((op) => byOp.get(op) ?? 0);
    if (own.some((id, i) => i > 0 && id <= (own[i - 1] ?? 0))) problems.push(`${key}: message ids ${own.join()}`);
  }
  const posts = commands.filter((a) => a.command === 'post' && a.outcome === 'value');
  for (const a of posts) {
    const id = (a.value as { id: number }).id;
    if (byOp.get(a.args.op) !== id) problems.push(`${a.args.op}: answered ${id}, stored ${byOp.get(a.args.op)}`);
    for (const b of posts) {
      if (b.startStep > a.endStep && (b.value as { id: number }).id <= id)
        problems.push(`${b.args.op} has a lower id than ${a.args.op}`);
    }
  }
}

const duplicatesIn = (ops: readonly string[]): string[] => ops.filter((op, i) => ops.indexOf(op) !== i);

function symmetricDifference(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...[...a].filter((x) => !b.has(x)), ...[...b].filter((x) => !a.has(x))];
}
