/**
 * PATCH /users/{user_id} (users.md), also from the command line: applies role, name and profile in this order. Earlier
 * changes stay if a later one is refused.
 */

import { makeRefusalReplyAfterChanges, makeSuccessReply } from '#actors/shared';
import { toCheckedFullName } from '#domain/people';
import type { realmActorCommands, UpdateUserArgs } from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { findUserRecord } from '../../state.js';
import { getActingAdminOrSystemOrThrow } from '../callers.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import {
  makeProfileEditCommit,
  type RenderedProfileValuesByFieldId,
  renderProfileValues,
} from '../preferences/profile-data.js';
import { makeAccountChangeCommit } from './account-changes.js';
import { mergePartialCommits, type PartialCommit } from './effect.js';
import { makeUserUpdatedEvent } from './person-events.js';
import {
  checkMaySetRole,
  makeRoleChangeCommit,
  readSubscriptionsForRoleChange,
  type SubscriptionsByAccount,
} from './role-change.js';

interface UpdateUserInputs {
  readonly subscriptions: SubscriptionsByAccount;
  readonly renderedProfileValues: RenderedProfileValuesByFieldId;
}

interface UserUpdateStepResult {
  readonly user: DirectoryUser;
  readonly effect: PartialCommit;
  /** Refusal of the rest of a step. The effect of the step's earlier changes stays. */
  readonly refusal?: ApiError | undefined;
}

/** Steps of the request, in order; the first refusal ends the request. */
function makeUserUpdateSteps(
  user: DirectoryUser,
  acting: DirectoryUser | undefined,
  { full_name, role, profile_data }: UpdateUserArgs,
  { subscriptions, renderedProfileValues }: UpdateUserInputs,
  view: RealmActorView,
  context: CommandContext,
): ((before: DirectoryUser) => UserUpdateStepResult | undefined)[] {
  return [
    (before) => {
      if (role === null || role === before.role) return undefined;
      checkMaySetRole(view.parts, acting, before, role);
      return makeRoleChangeCommit(before, role, subscriptions, view, context);
    },
    (before) => {
      // A blank name counts as absent, so the step changes nothing.
      if (full_name === null || full_name.trim() === '' || full_name.trim() === before.fullName) return undefined;
      const after = { ...before, fullName: toCheckedFullName(full_name) };
      const own = { events: [makeUserUpdatedEvent(context.version, user.id, { full_name: after.fullName })] };
      return { user: after, effect: makeAccountChangeCommit({ before, after }, own, view, context) };
    },
    (before) => {
      if (profile_data === null) return undefined;
      const { refusal, ...effect } = makeProfileEditCommit(
        view.parts,
        before,
        profile_data,
        renderedProfileValues,
        context.version,
      );
      return { user: before, effect, refusal };
    },
  ];
}

export const updateUserHandler: RealmCommandHandler<typeof realmActorCommands.updateUser, UpdateUserInputs> = {
  // In this lane no user joins or leaves a stream while the command runs: the visibility of streams depends on
  // subscriptions.
  lane: 'directory',
  exclusive: true,

  async inputs({ user_id, role, profile_data }, { realm, view }, sources) {
    const user = findUserRecord(view.parts, user_id);
    return {
      subscriptions: await readSubscriptionsForRoleChange(user, role, view.parts, realm, sources),
      renderedProfileValues: renderProfileValues(view.parts, profile_data ?? []),
    };
  },

  handle(view, args, inputs, context) {
    const { version } = context;
    const user = findUserRecord(view.parts, args.user_id);
    if (!user) throw apiError('NO_SUCH_USER');
    const acting = getActingAdminOrSystemOrThrow(view.parts, context.caller);
    const done: UserUpdateStepResult[] = [];
    let refusal: ApiError | undefined;
    try {
      for (const step of makeUserUpdateSteps(user, acting, args, inputs, view, context)) {
        const one = step(done.at(-1)?.user ?? user);
        if (one) done.push(one);
        refusal = one?.refusal;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal = error;
    }
    const { parts, events, commands } = mergePartialCommits(done.map(({ effect }) => effect));
    if (events.length === 0) return { reply: refusal ? { error: refusal.toReply() } : makeSuccessReply() };
    return {
      reply: refusal ? makeRefusalReplyAfterChanges(refusal, version) : makeSuccessReply(undefined, version),
      parts,
      events,
      ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
    };
  },
};
