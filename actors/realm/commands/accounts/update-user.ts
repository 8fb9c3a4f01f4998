/**
 * PATCH /users/{user_id} (users.md), also from the command line: applies role, name and profile in this order. Earlier
 * changes stay if a later one is refused.
 */

import { readOwnState, refusalAfterChanges, successReply } from '#actors/shared';
import { checkFullName } from '#domain/people';
import type { Subscription } from '#domain/streams';
import { userId } from '#model';
import type { realmCommands, UpdateUserArgs } from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { userRecord } from '../../state.js';
import { requireActingAdmin } from '../callers.js';
import type { RealmCommand, RealmView } from '../command.js';
import { editProfile, type RenderedProfileValues, renderProfileValues } from '../preferences/profile-data.js';
import { accountChangeEffect } from './account-changes.js';
import { type CommitEffect, mergeCommitEffects } from './effect.js';
import { personUpdatedEvent } from './person-events.js';
import { checkMaySetRole, roleChangeEffect } from './role-change.js';

interface Inputs {
  /** All subscriptions of the account, ended ones included; empty unless its role changes. */
  readonly subscriptions: readonly Subscription[];
  readonly rendered: RenderedProfileValues;
}

interface Step {
  readonly user: DirectoryUser;
  readonly effect: CommitEffect;
  /** Refusal of the rest of a step. The effect of the step's earlier changes stays. */
  readonly refusal?: ApiError | undefined;
}

/** Steps of the request, in order; the first refusal ends the request. */
function steps(
  user: DirectoryUser,
  acting: DirectoryUser | undefined,
  { full_name, role, profile_data }: UpdateUserArgs,
  { subscriptions, rendered }: Inputs,
  view: RealmView,
  context: CommandContext,
): ((before: DirectoryUser) => Step | undefined)[] {
  return [
    (before) => {
      if (role === null || role === before.role) return undefined;
      checkMaySetRole(view.parts, acting, before, role);
      return roleChangeEffect(before, role, subscriptions, view, context);
    },
    (before) => {
      // A blank name counts as absent, so the step changes nothing.
      if (full_name === null || full_name.trim() === '' || full_name.trim() === before.fullName) return undefined;
      const after = { ...before, fullName: checkFullName(full_name) };
      const own = { events: [personUpdatedEvent(context.version, user.id, { full_name: after.fullName })] };
      return { user: after, effect: accountChangeEffect({ before, after }, own, view, context) };
    },
    (before) => {
      if (profile_data === null) return undefined;
      const { refusal, ...effect } = editProfile(view.parts, before, profile_data, rendered, context.version);
      return { user: before, effect, refusal };
    },
  ];
}

export const updateUserHandler: RealmCommand<typeof realmCommands.updateUser, Inputs> = {
  // In this lane no user joins or leaves a stream while the command runs: the visibility of streams depends on
  // subscriptions.
  lane: 'directory',
  exclusive: true,

  async inputs({ user_id, role, profile_data }, { realm, view }, sources) {
    const rendered = renderProfileValues(view.parts, profile_data ?? []);
    const user = userRecord(view.parts, user_id);
    if (!user || role === null || role === user.role) return { subscriptions: [], rendered };
    const { subscriptions } = await readOwnState(realm, userId(user_id), ['subscriptions'], sources);
    return { subscriptions, rendered };
  },

  handle(view, args, inputs, context) {
    const { version } = context;
    const user = userRecord(view.parts, args.user_id);
    if (!user) throw apiError('NO_SUCH_USER');
    const acting = requireActingAdmin(view.parts, context.caller);
    const done: Step[] = [];
    let refusal: ApiError | undefined;
    try {
      for (const step of steps(user, acting, args, inputs, view, context)) {
        const one = step(done.at(-1)?.user ?? user);
        if (one) done.push(one);
        refusal = one?.refusal;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal = error;
    }
    const { parts, events, commands } = mergeCommitEffects(done.map(({ effect }) => effect));
    if (events.length === 0) return { reply: refusal ? { error: refusal.toReply() } : successReply() };
    return {
      reply: refusal ? refusalAfterChanges(refusal, version) : successReply(undefined, version),
      parts,
      events,
      ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
    };
  },
};
