/** Types of the realm's command handlers, and what all handlers have in common. */

import type { JsonObject } from '#base';
import type { ActorCommandName, ArgsOfCommand } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { ActorView, AnyCommandDefinition, CommandDefinition } from '#runtime';
import type { ActorServices } from '../../services.js';
import { findUserRecord, type RealmActorState } from '../state.js';
import type { RealmMemoryState } from '../volatile.js';

/** Handler of a realm command with the arguments `A` and the inputs `I`. */
type RealmCommandDefinition<A extends JsonObject, I = undefined> = CommandDefinition<
  RealmActorState,
  A,
  I,
  RealmMemoryState,
  ActorServices
>;
/** Handler of a declared realm command. */
export type RealmCommandHandler<C extends ActorCommandName<'realm'>, I = undefined> = RealmCommandDefinition<
  ArgsOfCommand<C>,
  I
>;

type RealmCommandDefinitionsByName = Readonly<Record<string, AnyCommandDefinition<RealmActorState, RealmMemoryState>>>;

/**
 * Wraps all handlers. A commit sets `directoryVersion` if and only if it has directory items, because replicas can
 * only reach versions that the log shows them. Changed accounts are counted, and commands of deactivated callers are
 * refused.
 */
export const wrapAllRealmCommandHandlers = (commands: RealmCommandDefinitionsByName): RealmCommandDefinitionsByName =>
  Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, { ...command, handle: wrapRealmCommandHandler(command) }]),
  );

function wrapRealmCommandHandler(
  command: AnyCommandDefinition<RealmActorState, RealmMemoryState>,
): typeof command.handle {
  return (view, args, inputs, context) => {
    const { caller } = context;
    // The replica of the frontend that admitted the caller may lag behind the deactivation.
    if (caller !== 0 && findUserRecord(view.parts, caller)?.isActive === false) throw apiError('ACCOUNT_DEACTIVATED');
    const outcome = command.handle(view, args, inputs, context);
    let changes = false;
    for (const item of outcome.events ?? []) {
      if (item.t !== 'directory') continue;
      changes = true;
      const { user } = item.change as { readonly user?: DirectoryUser };
      if (user) view.volatile.adjustActiveHumanCount(findUserRecord(view.parts, user.id), user);
    }
    if (!changes) return outcome;
    return { ...outcome, state: { ...(outcome.state ?? view.state), directoryVersion: context.version } };
  };
}

/**
 * Lane of commands without inputs. These commands can run at once, so they must not queue behind commands that wait for
 * inputs.
 */
export const NO_INPUT_COMMAND_LANE = 'settings';

export type RealmActorView = ActorView<RealmActorState, RealmMemoryState>;
