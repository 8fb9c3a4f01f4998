/** Operations of the API that report and read presence (users.md § Presence). */

import { isSystemBot } from '#domain/people';
import {
  type FetchPresenceChanges,
  formatUserPresenceForApi,
  isPresenceHidden,
  type PresenceReplica,
  type PresenceResponseForm,
  presenceReplicaOfDirectory,
  toServerTimestampSeconds,
} from '#domain/presence';
import { presenceActorKey, toUserId } from '#model';
import { type PresenceChangesCursor, presenceActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { refreshDirectoryUnlessKnown } from '../../look-up.js';
import { type ApiCall, defineOperation, forwardCommand, type ResponseFieldsAnswer } from '../../operation.js';
import {
  declareBooleanParameterWithDefault,
  declarePathTextParameter,
  declareRequiredTextParameter,
} from '../../parameters.js';

/** Fetches the changes of presences since the last call, and returns this frontend's presence replica. */
async function syncAndGetPresenceReplica(call: ApiCall<unknown>): Promise<PresenceReplica> {
  const replica = presenceReplicaOfDirectory(call.directory);
  await replica.fetchAtLeastNow(makePresenceChangesFetcher(call));
  return replica;
}

const makePresenceChangesFetcher =
  (call: ApiCall<unknown>): FetchPresenceChanges =>
  (known) =>
    call.send(
      forwardCommand({ to: presenceActorKey(call.realm), command: presenceActorCommands.presences, args: { known } }),
    );

const makePresenceListAnswer = (
  replica: PresenceReplica,
  form: PresenceResponseForm,
  now: number,
): ResponseFieldsAnswer => ({
  fields: { presences: replica.getOrEncodeList(form, now), server_timestamp: toServerTimestampSeconds(now) },
});

const reportOwnPresenceOperation = defineOperation({
  id: 'update-presence',
  method: 'POST',
  path: '/users/me/presence',
  guard: 'human',
  summary: 'Tell that one is here, and hear who else is.',
  parameters: {
    status: declareRequiredTextParameter('form', "'active' or 'idle'."),
    ping_only: declareBooleanParameterWithDefault('form', false, 'Leave out the presence of the others.'),
    new_user_input: declareBooleanParameterWithDefault('form', false, 'Accepted and unused.'),
    slim_presence: declareBooleanParameterWithDefault('form', false, 'Presence is keyed by user id.'),
  },
  async run(call) {
    const { params, realm, directory } = call;
    const { status, ping_only: pingOnly } = params;
    if (status !== 'active' && status !== 'idle') throw apiError('INVALID_PRESENCE_STATUS', { status });
    const report = (known: PresenceChangesCursor | null) =>
      forwardCommand({
        to: presenceActorKey(realm),
        command: presenceActorCommands.report,
        args: { status, pingOnly, known },
      });
    if (pingOnly) return report(null);
    const replica = presenceReplicaOfDirectory(directory);
    await replica.ensureLoaded(makePresenceChangesFetcher(call));
    await replica.fetchAndMergeChanges((known) => call.send(report(known)));
    return makePresenceListAnswer(replica, params.slim_presence ? 'slim' : 'legacy', call.now);
  },
});

const getAllPresencesOperation = defineOperation({
  id: 'get-presence',
  method: 'GET',
  path: '/realm/presence',
  guard: 'user',
  summary: 'Presence of everybody.',
  parameters: {},
  run: async (call) => makePresenceListAnswer(await syncAndGetPresenceReplica(call), 'legacy', call.now),
});

function findUserByIdOrApiEmail(call: ApiCall<unknown>, who: string): DirectoryUser | undefined {
  if (/^\d+$/.test(who)) return call.directory.user(toUserId(Number(who)));
  return call.directory.userByApiEmail(who);
}

const getUserPresenceOperation = defineOperation({
  id: 'get-user-presence',
  method: 'GET',
  path: '/users/{user_id_or_email}/presence',
  guard: 'user',
  summary: 'Presence of one user.',
  parameters: { user_id_or_email: declarePathTextParameter('Id or API e-mail of the user.') },
  async run(call) {
    const who = call.params.user_id_or_email;
    await refreshDirectoryUnlessKnown(call, () => findUserByIdOrApiEmail(call, who) !== undefined);
    const user = findUserByIdOrApiEmail(call, who);
    if (!user?.isActive || isSystemBot(user)) throw apiError('NO_SUCH_USER');
    if (user.botType !== null) throw apiError('PRESENCE_OF_BOT');
    const times = (await syncAndGetPresenceReplica(call)).presenceTimesOf(user.id);
    if (!times || isPresenceHidden(call.directory, user)) throw apiError('NO_PRESENCE', { user_id_or_email: who });
    return { fields: { presence: formatUserPresenceForApi(times, user, call.now) } };
  },
});

export const PRESENCE_OPERATIONS = [reportOwnPresenceOperation, getAllPresencesOperation, getUserPresenceOperation];
