/** Faults that the simulation must find (mutants.ts), each a change of one built file. */

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Text of the built file that is replaced. */
  readonly find: string;
  readonly put: string;
  /** Every occurrence in the file is replaced; default: the first. */
  readonly all?: true;
  /** Reason why no client can notice the fault; the simulation need not catch it. */
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
    name: 'a commit that was refused counts as done',
    file: 'src/runtime/commit-loop.js',
    find: "if (result === 'conflict')",
    put: 'if (false)',
  },
  {
    name: 'acknowledged before the commit',
    file: 'src/runtime/executor.js',
    find: 'batch.committedCallbacks.push(finish);\n    }',
    put: 'finish();\n    }',
  },
  {
    name: 'reads do not wait for what they saw',
    file: 'src/runtime/executor.js',
    find: 'this.commits.callAfterNewestCommitted(finish);',
    put: 'finish();',
  },
  {
    name: 'the outbox is not redone',
    file: 'src/runtime/activation.js',
    find: 'this.#outbox.addEntry({ ...entry, records: [] }, rested);',
    put: '',
  },
  {
    name: 'records are not redone',
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
    name: 'commands between actors are not told apart',
    file: 'src/runtime/reply-cache.js',
    find: 'parsed.n <= executed ? FORGOTTEN_REPLY : undefined',
    put: 'undefined',
  },
  {
    name: 'a retry is another command',
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
    name: 'a queue is flushed past what waits',
    file: 'actors/event-queue/checkpoint.js',
    find: 'oldest === undefined ? position :',
    put: 'true ? position :',
  },
  {
    name: 'commits that the snapshot holds are told again',
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
    name: 'an acknowledgement takes an entry too many',
    file: 'actors/event-queue/buffer.js',
    find: '.id <= id)',
    put: '.id <= id + 8192)',
  },
  {
    name: 'gaps in live entries are not seen',
    file: 'src/ports/log/log-jetstream-subscription.js',
    find: '!this.#isCatchingUp && entry.previousSeq <= this.#position',
    put: '!this.#isCatchingUp',
  },
  {
    name: 'a lost last entry is not looked for',
    file: 'src/ports/log/log-jetstream-subscription.js',
    find: 'async checkForLostEntries(state) {',
    put: 'async checkForLostEntries(state) { return;',
  },
  {
    name: 'audience by present membership',
    file: 'src/domain/streams/membership.js',
    find: 'member?.stays.some((stay) => isMembershipVersionDuringStay(stay, mv)) ?? false',
    put: 'member?.stays.some((stay) => stay.to === 0) ?? false',
  },
  {
    name: 'exceptions of an audience are ignored',
    file: 'src/delivery/audience.js',
    find: 'if (to.except?.includes(user))',
    put: 'if (false)',
  },
  {
    name: 'repeats in the log are told',
    file: 'src/model/log-entry.js',
    find: 'if (last !== undefined && n <= last)',
    put: 'if (false)',
  },
  {
    name: 'repeats of what was before a feed are told',
    file: 'src/delivery/repeat-detector.js',
    find: 'if (!repeats && !(isAfterStart && this.#deduplicatorBeforeStart.mayHaveRecordedGroupOf(entry)))',
    put: 'if (true)',
  },
  {
    name: 'a timer fires whenever it is rung',
    file: 'src/runtime/executor.js',
    find: 'if (dueAt !== null && dueAt <= this.ports.clock.now())',
    put: 'if (true)',
  },
  {
    name: 'timers are not taken over',
    file: 'src/runtime/ownership.js',
    // That it wakes at once what is due by then changes only when: a timer for the past rings at once, too.
    find: 'if (at !== null)\n                setDueTime(key, at);',
    put: '',
  },
  {
    name: 'sleepers are not woken',
    file: 'src/runtime/ownership.js',
    find: 'const sleepers = await store.listActorsToWake(partitions);',
    put: 'const sleepers = [];',
  },
  {
    name: 'a host may always answer',
    file: 'src/runtime/host.js',
    // Neither when it gets a command nor when it answers: each of the two covers for the other.
    find: 'this.options.placement.mayAnswer(p)',
    put: 'true',
    all: true,
  },
  {
    name: 'answers are not guarded',
    file: 'src/runtime/host.js',
    find: 'withholdRepliesAfterLapse(request, () => this.options.placement.mayAnswer(p))',
    put: 'request',
    // It rests on senders that heed no answer of an attempt that they have given up, and on clocks; so the guard stays.
    harmless:
      'a command is taken by the owner of then; what a next owner does is done after it was sent, so that the older state is a right answer',
  },
  {
    name: 'hand-over without drain',
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
    name: 'an actor that leaves gives back an id that it has given out',
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
    name: 'a queue starts where the snapshot ended',
    file: 'actors/event-queue/snapshot/take.js',
    find: 'startLogPosition: end,',
    put: 'startLogPosition: (await sources.log.readBounds(realm)).end,',
  },
  {
    name: 'a stream refuses whom it has not heard of',
    file: 'actors/stream/commands/send.js',
    find: 'if (again ||',
    put: 'if (true ||',
  },
  {
    name: 'ids of events begin anew after a rebuild',
    file: 'src/model/event-ids.js',
    find: 'export const makeEventId = (seq, slot) => seq * EVENT_ID_SLOTS_PER_LOG_POSITION + slot;',
    put: 'let given = 0; export const makeEventId = (seq, slot) => seq * EVENT_ID_SLOTS_PER_LOG_POSITION + slot + (slot === 1 && ++given % 40 === 0 ? 1 : 0);',
  },
  {
    name: 'a missed conversation is mailed again soon',
    file: 'actors/user/commands/missed/mails.js',
    find: ': null,\n        mails: places',
    put: ': { ...conversation, due: now + 20_000 },\n        mails: places',
  },
];
