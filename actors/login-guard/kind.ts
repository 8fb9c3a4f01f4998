/**
 * The login guard counts log-ins with addresses of no account. Such log-ins are limited, and take as long, as log-ins
 * with the address of an account (actors/user/commands/account/login.ts); otherwise the answers would show which
 * addresses have accounts. To bound the storage, addresses share a fixed number of actors that remember a few addresses
 * each. Only the server secret tells which addresses share an actor. The stored name of the kind is `stranger`.
 */

import type { JsonObject } from '#base';
import { loginRateLimitError, msUntilLoginAllowed, withLoginFailureAdded, wrongPasswordError } from '#domain/secrets';
import { type ArgsOfCommand, unknownEmailLoginActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKindDefinition, type CommandDefinition, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';

/** Maximum number of addresses whose failures one actor remembers. */
const MAX_ADDRESSES_PER_LOGIN_GUARD_ACTOR = 16;

type LoginFailuresOfAddress = readonly [address: string, failures: readonly number[]];

interface LoginGuardActorState extends JsonObject {
  /** Failed attempts by hash of the address; the address tried last is at the end. */
  readonly attempts: readonly LoginFailuresOfAddress[];
}

const findFailureTimesOfAddress = ({ attempts }: LoginGuardActorState, address: string): readonly number[] =>
  attempts.find(([of]) => of === address)?.[1] ?? [];

const refuseUnknownAddressLoginHandler: CommandDefinition<
  LoginGuardActorState,
  ArgsOfCommand<typeof unknownEmailLoginActorCommands.fetchKey>,
  undefined,
  undefined,
  ActorServices
> = {
  creates: true,
  lane: 'login',
  exclusive: true,
  async inputs({ address, password }, { view }, { services }) {
    if (msUntilLoginAllowed(findFailureTimesOfAddress(view.state, address), services.clock.now()) > 0) return undefined;
    await services.secrets.verifyPassword(password, null);
    return undefined;
  },
  handle({ state }, { address }, _inputs, { now }) {
    const failures = findFailureTimesOfAddress(state, address);
    const wait = msUntilLoginAllowed(failures, now);
    if (wait > 0) throw loginRateLimitError(failures, wait, now);
    const others = state.attempts.filter(([of]) => of !== address);
    const failed = withLoginFailureAdded(failures, now);
    const attempts: LoginFailuresOfAddress[] = [...others, [address, failed]];
    return {
      reply: { error: wrongPasswordError(failed, now).toReply() },
      state: { ...state, attempts: attempts.slice(-MAX_ADDRESSES_PER_LOGIN_GUARD_ACTOR) },
    };
  },
};

export const loginGuardActorKind: ActorKindDefinition<LoginGuardActorState, undefined, ActorServices> = {
  name: 'stranger',
  summary: 'Failed log-ins with addresses of no account, counted so that they look like those of an account.',
  usesDirectory: false,
  loadedParts: [],
  commands: mapHandlersByName(unknownEmailLoginActorCommands, { fetchKey: refuseUnknownAddressLoginHandler }),
  makeInitialState: () => ({ attempts: [] }),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: apiError('AUTHENTICATION_FAILED').toReply() }),
};
