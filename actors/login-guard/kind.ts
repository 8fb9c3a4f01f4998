/**
 * Log-ins with addresses that no account has. They are counted, and take as long, as those with an address that has one
 * (actors/user/commands/login.ts), or the answers would tell which addresses have accounts. So that this needs no more
 * room than there is, addresses share a fixed number of actors, and each of these remembers a few; which share one
 * nobody knows without the server secret.
 */

import type { JsonObject } from '#base';
import { tooManyAttempts, waitForAttempt, withFailure, wrongPassword } from '#domain/secrets';
import { apiError } from '#model/errors';
import type { ActorKind, CommandDefinition } from '#runtime';
import type { ActorServices } from '../services.js';

/** Addresses that each remembers. */
const MOST_ADDRESSES = 16;

type Attempts = readonly [address: string, failures: readonly number[]];

interface StrangerState extends JsonObject {
  /** By hash of the address, the one that was tried last at the end. */
  readonly attempts: readonly Attempts[];
}

const failuresOf = ({ attempts }: StrangerState, address: string): readonly number[] =>
  attempts.find(([of]) => of === address)?.[1] ?? [];

interface Attempt extends JsonObject {
  /** Its hash. */
  readonly address: string;
  readonly password: string;
}

const fetchKey: CommandDefinition<StrangerState, Attempt, undefined, undefined, ActorServices> = {
  creates: true,
  lane: 'login',
  exclusive: true,
  async inputs({ address, password }, { view }, { services }) {
    if (waitForAttempt(failuresOf(view.state, address), services.clock.now()) > 0) return undefined;
    await services.secrets.verifyPassword(password, null);
    return undefined;
  },
  handle({ state }, { address }, _inputs, { now }) {
    const failures = failuresOf(state, address);
    const wait = waitForAttempt(failures, now);
    if (wait > 0) throw tooManyAttempts(failures, wait, now);
    const others = state.attempts.filter(([of]) => of !== address);
    const failed = withFailure(failures, now);
    const attempts: Attempts[] = [...others, [address, failed]];
    return {
      reply: { error: wrongPassword(failed, now).toReply() },
      state: { ...state, attempts: attempts.slice(-MOST_ADDRESSES) },
    };
  },
};

export const strangerKind: ActorKind<StrangerState, undefined, ActorServices> = {
  name: 'stranger',
  summary: 'Failed log-ins with addresses of no account, counted so that they cannot be told from those of an account.',
  directory: false,
  loadedParts: [],
  commands: { 'fetch-key': fetchKey },
  initial: () => ({ attempts: [] }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('AUTHENTICATION_FAILED').toReply() }),
};
