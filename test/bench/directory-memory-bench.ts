/**
 * Memory and CPU of one directory replica in a process of its own: `node --expose-gc
 * dist/test/bench/directory-memory-bench.js [--accounts N] [--streams N] [--snapshot FILE]`, about 30 s. The program
 * builds replicas from an encoded snapshot and applies changes of accounts. `--snapshot` writes a heap snapshot of a
 * replica. The program prints figures and asserts nothing.
 */
import { parseArgs } from 'node:util';
import { writeHeapSnapshot } from 'node:v8';
import { RealmDirectory } from '#directory';
import { productEmojiForm } from '#domain/emoji';
import { getEncodedUserGroupList, getEncodedUserList } from '#domain/people';
import { toRealmId, toUserId } from '#model';
import {
  decodeSnapshot,
  encodeSnapshot,
  FIRST_GENERATED_ID,
  makeLargeSnapshot,
  makeUserRecord,
} from './large-directory.js';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '100000' },
    streams: { type: 'string', default: '10000' },
    snapshot: { type: 'string' },
  },
});
const ACCOUNTS = Number(values.accounts);
const STREAMS = Number(values.streams);

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** @returns the size of the live heap and of external buffers, after garbage collections */
function usedBytes(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function cpuMsOf<T>(work: () => T): { readonly made: T; readonly ms: number } {
  const before = process.cpuUsage();
  const made = work();
  const { user, system } = process.cpuUsage(before);
  return { made, ms: (user + system) / 1_000 };
}

const openReplica = (packed: Uint8Array): RealmDirectory =>
  new RealmDirectory(toRealmId(1), decodeSnapshot(packed), productEmojiForm('conclave'));

/** Opens a replica twice: the first one warms up the program, the second one is measured. */
function measureMemory(title: string, accounts: number, streams: number, withoutDetails: boolean): RealmDirectory {
  const packed = encodeSnapshot(makeLargeSnapshot(accounts, streams, withoutDetails));
  openReplica(packed);
  const before = usedBytes();
  const { made, ms } = cpuMsOf(() => openReplica(packed));
  const bytes = usedBytes() - before;
  print(
    `${title} | snapshot ${(packed.byteLength / 2 ** 20).toFixed(1)} MiB | decoded and built in ${ms.toFixed(0)} ms CPU` +
      ` | ${(bytes / 2 ** 20).toFixed(1)} MiB | ${(bytes / Math.max(accounts, streams)).toFixed(0)} bytes each`,
  );
  return made;
}

measureMemory('accounts alone', ACCOUNTS, 0, true);
measureMemory('accounts, half with a session, a quarter with a setting', ACCOUNTS, 0, false);
measureMemory('streams alone', 0, STREAMS, true);
const directory = measureMemory('all of it', ACCOUNTS, STREAMS, false);
if (values.snapshot) writeHeapSnapshot(values.snapshot);

const viewer = directory.user(toUserId(FIRST_GENERATED_ID))!;
const options = { clientGravatar: true, profile: true, withoutActive: true };
const encodeLists = (): void => {
  getEncodedUserList(directory, viewer, { ...options, active: true });
  getEncodedUserList(directory, viewer, { ...options, active: false });
};
const before = usedBytes();
print(`lists of users, first | ${cpuMsOf(encodeLists).ms.toFixed(0)} ms CPU`);
print(`lists of users in memory | ${((usedBytes() - before) / 2 ** 20).toFixed(1)} MiB`);
const changeAccount = (n: number): void =>
  directory.applyChange({ user: { ...makeUserRecord(n), timezone: 'Europe/Berlin' } });
const TURNS = 20;
const measureTurns = (work: (turn: number) => void): number =>
  cpuMsOf(() => {
    for (let turn = 0; turn < TURNS; turn++) work(turn);
  }).ms / TURNS;
const listMs = measureTurns((turn) => {
  changeAccount(turn * 4_999);
  encodeLists();
});
print(`a change of an account, and the lists | ${listMs.toFixed(1)} ms CPU`);
getEncodedUserGroupList(directory);
const groupMs = measureTurns((turn) => {
  changeAccount(turn * 4_999 + 1);
  getEncodedUserGroupList(directory);
});
print(`a change of an account, and the groups | ${groupMs.toFixed(1)} ms CPU`);
