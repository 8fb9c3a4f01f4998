/** Faults that the simulations must find (mutants.ts), each a change of one built file. */

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Text of the built file to replace by `put`. */
  readonly find: string;
  readonly put: string;
  /** Whether to replace every occurrence; without it only the first. */
  readonly all?: true;
  /** Reason why no client can notice the fault, so that no seed need fail. */
  readonly harmless?: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the Store does not fence at load',
    file: 'test/support/memory-store.js',
    find: 'const stamped = { ...root, epoch: at };',
    put: 'const stamped = { ...root };',
  },
  {
    name: 'epochs are not raised',
    file: 'test/support/memory-store.js',
    find: 'const raised = 1 + Math.max(',
    put: 'const raised = Math.max(1, ',
  },
  {
    name: 'a refused commit counts as done',
    file: 'src/runtime/commit-loop.js',
    find: "if (result === 'conflict')",
    put: 'if (false)',
  },
  {
    name: 'replies are sent before the commit',
    file: 'src/runtime/executor.js',
    find: 'batch.committedCallbacks.push(finish);\n    }',
    put: 'finish();\n    }',
  },
  {
    name: 'reads do not wait for the commits that they saw',
    file: 'src/runtime/executor.js',
    find: 'this.commits.callAfterNewestCommitted(finish);',
    put: 'finish();',
  },
  {
    name: 'the outbox is not repeated after a load',
    file: 'src/runtime/activation.js',
    find: 'this.#outbox.addEntry({ ...entry, records: [] }, rested);',
    put: '',
  },
  {
    name: 'records are not repeated after a load',
    file: 'src/runtime/load.js',
    find: 'if (records.length > 0)',
    put: 'if (false)',
  },
  {
    name: 'replies to frontends are forgotten',
    file: 'src/runtime/reply-cache.js',
    find: 'return this.#replyByCommandId.get(id) ?? (parsed.n < before ? FORGOTTEN_REPLY : undefined);',
    put: 'return undefined;',
  },
  {
    name: 'repeated commands between actors are not recognised',
    file: 'src/runtime/reply-cache.js',
    find: 'parsed.n <= executed ? FORGOTTEN_REPLY : undefined',
    put: 'undefined',
  },
  {
    name: 'a retry has a new command id',
    file: 'src/runtime/client.js',
    find: 'this.#commandNumber}`',
    put: "this.#commandNumber}`.concat(this.#consecutiveFailureCount > 0 ? 900 + this.#consecutiveFailureCount : '')",
  },
  {
    name: 'commands go out before the events of their commit',
    file: 'src/runtime/outbox.js',
    find: 'if (!job.isInLog)\n                break;',
    put: '',
  },
  {
    name: 'a checkpoint passes undelivered events',
    file: 'actors/event-queue/checkpoint.js',
    find: 'oldest === undefined ? position :',
    put: 'true ? position :',
  },
  {
    name: 'events of commits in the snapshot are delivered again',
    file: 'src/delivery/subscriber.js',
    find: 'return covered !== undefined && version <= covered;',
    put: 'return false;',
  },
  {
    name: 'a snapshot claims a commit too many',
    file: 'src/delivery/subscriber.js',
    find: 'return covered !== undefined && version <= covered;',
    put: 'return covered !== undefined && version <= covered + 1;',
  },
  {
    name: 'an acknowledgement removes one event too many',
    file: 'actors/event-queue/buffer.js',
    find: '.id <= id)',
    put: '.id <= id + 8192)',
  },
  {
    name: 'gaps in live entries are not detected',
    file: 'src/ports/log/log-jetstream-subscription.js',
    find: '!this.#isCatchingUp && entry.previousSeq <= this.#position',
    put: '!this.#isCatchingUp',
  },
  {
    name: 'a lost last entry is not detected',
    file: 'src/ports/log/log-jetstream-subscription.js',
    find: 'async checkForLostEntries(state) {',
    put: 'async checkForLostEntries(state) { return;',
  },
  {
    name: 'an audience follows the present membership',
    file: 'src/domain/streams/membership.js',
    find: 'mv) => findStayAtVersion(member, mv) !== undefined',
    put: 'mv) => member?.stays.at(-1)?.to === 0',
  },
  {
    name: 'exceptions of an audience are ignored',
    file: 'src/delivery/audience.js',
    find: 'if (to.except?.includes(user))',
    put: 'if (false)',
  },
  {
    name: 'repeated log entries are delivered',
    file: 'src/model/log-entry.js',
    find: 'if (last !== undefined && n <= last)',
    put: 'if (false)',
  },
  {
    name: 'repeats of entries before the start of a feed are delivered',
    file: 'src/delivery/repeat-detector.js',
    find: 'if (!repeats && !(isAfterStart && this.#deduplicatorBeforeStart.mayHaveRecordedGroupOf(entry)))',
    put: 'if (true)',
  },
  {
    name: 'a timer fires before its time',
    file: 'src/runtime/executor.js',
    find: 'if (dueAt !== null && dueAt <= now)',
    put: 'if (true)',
  },
  {
    name: 'a new owner sets no timers',
    file: 'src/runtime/ownership.js',
    // The owner also wakes due actors at once; without that, their timers would fire at once anyway.
    find: 'if (at !== null)\n                setDueTime(key, at);',
    put: '',
  },
  {
    name: 'a new owner does not load actors with unfinished work',
    file: 'src/runtime/ownership.js',
    find: 'const sleepers = await store.listActorsToWake(partitions);',
    put: 'const sleepers = [];',
  },
  {
    name: 'a host may always answer',
    file: 'src/runtime/host.js',
    // Both checks go, at the receipt of a command and at its reply, because each hides a fault of the other.
    find: 'this.options.placement.mayAnswer(p)',
    put: 'true',
    all: true,
  },
  {
    name: 'replies are not withheld after a lapse',
    file: 'src/runtime/host.js',
    find: 'withholdRepliesAfterLapse(request, () => this.options.placement.mayAnswer(p))',
    put: 'request',
    // The product keeps the check, because the reason depends on clocks and on senders that ignore late replies.
    harmless:
      'the command was sent before the next owner committed anything, so a reply from the older state is correct',
  },
  {
    name: 'a release does not wait for running commands',
    file: 'src/runtime/ownership.js',
    find: "if (reason === 'released') {",
    put: 'if (false) {',
  },
  {
    name: 'message ids are not reserved',
    file: 'actors/realm/commands/ids.js',
    find: 'reservedIds: last + ahead',
    put: 'reservedIds: state.reservedIds',
  },
  {
    name: 'a passivated realm actor reuses its last message id',
    file: 'actors/realm/commands/ids.js',
    find: 'const reservedIds = volatile.nextMessageId - 1;',
    put: 'const reservedIds = volatile.nextMessageId - 2;',
  },
  {
    name: 'a frontend does not wait for its replica',
    file: 'src/frontend/gateway/gateway.js',
    find: 'const waiting = this.options.directories.waitUntilReady(realm, version);',
    put: 'const waiting = undefined;',
  },
  {
    name: 'a queue starts at the end of the log after its snapshot',
    file: 'actors/event-queue/snapshot/take.js',
    find: 'startLogPosition: end,',
    put: 'startLogPosition: (await sources.log.readBounds(realm)).end,',
  },
  {
    name: 'a stream refuses a new member at once',
    file: 'actors/stream/commands/send.js',
    find: 'if (again ||',
    put: 'if (true ||',
  },
  {
    name: 'event ids change after a rebuild of a queue',
    file: 'src/model/event-ids.js',
    find: 'export const makeEventId = (seq, slot) => seq * EVENT_ID_SLOTS_PER_LOG_POSITION + slot;',
    put: 'let given = 0; export const makeEventId = (seq, slot) => seq * EVENT_ID_SLOTS_PER_LOG_POSITION + slot + (slot === 1 && ++given % 40 === 0 ? 1 : 0);',
  },
  {
    name: 'a second mail about a conversation follows within the batching period',
    file: 'actors/user/commands/missed/mails.js',
    find: ': null,\n        messages,',
    put: ': { ...conversation, due: now + 20_000 },\n        messages,',
  },
];
