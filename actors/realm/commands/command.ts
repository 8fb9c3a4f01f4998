/** Types of the realm's command handlers, and what all handlers have in common. */

import type { JsonObject } from '#base';
import type { ArgsOf, Command } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { ActorView, AnyCommandDefinition, CommandDefinition } from '#runtime';
import type { ActorServices } from '../../services.js';
import { type RealmState, userRecord } from '../state.js';
import type { RealmVolatile } from '../volatile.js';

/** Handler of a realm command with the arguments `A` and the inputs `I`. */
type RealmHandler<A extends JsonObject, I = undefined> = CommandDefinition<
  RealmState,
  A,
  I,
  RealmVolatile,
  ActorServices
>;
/** Handler of a declared realm command. */
export type RealmCommand<C extends Command<'realm'>, I = undefined> = RealmHandler<ArgsOf<C>, I>;

type Commands = Readonly<Record<string, AnyCommandDefinition<RealmState, RealmVolatile>>>;

/**
 * Wraps all handlers. A commit sets `directoryVersion` if and only if it has directory items, because replicas can
 * only reach versions that the log shows them. Changed accounts are counted, and commands of deactivated callers are
 * refused.
 */
export const withDirectoryVersion = (commands: Commands): Commands =>
  Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, { ...command, handle: wrappedHandler(command) }]),
  );

function wrappedHandler(command: AnyCommandDefinition<RealmState, RealmVolatile>): typeof command.handle {
  return (view, args, inputs, context) => {
    const { caller } = context;
    // The replica of the frontend that admitted the caller may lag behind the deactivation.
    if (caller !== 0 && userRecord(view.parts, caller)?.isActive === false) throw apiError('ACCOUNT_DEACTIVATED');
    const outcome = command.handle(view, args, inputs, context);
    let changes = false;
    for (const item of outcome.events ?? []) {
      if (item.t !== 'directory') continue;
      changes = true;
      const { user } = item.change as { readonly user?: DirectoryUser };
      if (user) view.volatile.countHuman(userRecord(view.parts, user.id), user);
    }
    if (!changes) return outcome;
    return { ...outcome, state: { ...(outcome.state ?? view.state), directoryVersion: context.version } };
  };
}

/**
 * Lane of commands without inputs. These commands can run at once, so they must not queue behind commands that wait for
 * inputs.
 */
export const SETTINGS_LANE = 'settings';

export type RealmView = ActorView<RealmState, RealmVolatile>;
