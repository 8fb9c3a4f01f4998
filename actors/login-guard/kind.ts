/**
 * Log-ins with addresses that no account has. They are counted, and take as long, as those with an address that has one
 * (actors/user/commands/login.ts), or the answers would tell which addresses have accounts. So that this needs no more
 * room than there is, addresses share a fixed number of actors, and each of these remembers a few; which share one
 * nobody knows without the server secret.
 */
import { createMachine } from 'xstate';
import type { JsonObject } from '#base';
import { tooManyAttempts, waitForAttempt, withFailure, wrongPassword } from '#domain/secrets';
import { type ArgsOf, loginGuardCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, type CommandDefinition, handlersOf } from '#runtime';

/** Addresses that each remembers. */
const MOST_ADDRESSES = 16;

type Attempts = readonly [address: string, failures: readonly number[]];

interface StrangerState extends JsonObject {
  readonly phase: string;
  /** By hash of the address, the one that was tried last at the end. */
  readonly attempts: readonly Attempts[];
}

const failuresOf = ({ attempts }: StrangerState, address: string): readonly number[] =>
  attempts.find(([of]) => of === address)?.[1] ?? [];

const fetchKey: CommandDefinition<StrangerState, ArgsOf<typeof loginGuardCommands.fetchKey>, undefined, undefined> = {
  creates: true,
  lane: 'login',
  exclusive: true,
  async needs({ address, password }, { view }, { services }) {
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

export const strangerKind: ActorKind<StrangerState> = {
  name: 'stranger',
  machine: createMachine({ id: 'stranger', initial: 'active', states: { active: {} } }),
  directory: false,
  loads: [],
  commands: handlersOf(loginGuardCommands, { fetchKey }),
  initial: () => ({ phase: 'active', attempts: [] }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('AUTHENTICATION_FAILED').toReply() }),
  refuse: () => ({ error: apiError('AUTHENTICATION_FAILED').toReply() }),
};
