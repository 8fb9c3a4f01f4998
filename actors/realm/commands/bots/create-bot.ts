/**
 * POST /bots (users.md § Bots): creates a bot. The frontend checks only the types of parameters and the avatar's
 * picture.
 */

import { makeSuccessReply } from '#actors/shared';
import { findIncomingIntegration } from '#domain/integrations';
import {
  avatarUrlOfUser,
  BOT_TYPE,
  formatBotDefaultStreamsForApi,
  hasEmailAddressForm,
  isAdminOrOwner,
  toCheckedFullName,
  USER_ROLE,
} from '#domain/people';
import { mayAccessStream } from '#domain/streams';
import type { RealmSettings, StreamId } from '#model';
import type { BotDefaultStreamNames, NewRealmOwnerAccount, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryBot, DirectoryUser } from '#model/records';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import {
  BOT_CREATION_LANE,
  checkBotNameIsUnique,
  makeBotAccountChanges,
  makeBotAddedEvent,
  makeStreamLookup,
} from '../../bots.js';
import { type ActorParts, findStreamRecord, type RealmActorState } from '../../state.js';
import type { RealmMemoryState } from '../../volatile.js';
import { makeUserAddedLogItems } from '../accounts/person-events.js';
import { makeCreateUserCommand, makeNewUserRecord } from '../accounts/user-record.js';
import { getActingUserOrThrow } from '../callers.js';
import type { RealmCommandHandler } from '../command.js';
import { loadOwnPrivateStreamIdsByNames, type OwnPrivateStreamIds } from '../stream-memberships.js';

/** Ids of those default streams of a bot that are private and to which the caller is subscribed. */
export const loadOwnPrivateBotStreamIds = (
  { sending, events }: BotDefaultStreamNames,
  context: CommandInputContext<RealmActorState, RealmMemoryState>,
  sources: ActorInputSources,
): Promise<OwnPrivateStreamIds> =>
  loadOwnPrivateStreamIdsByNames(
    [sending, events].filter((name): name is string => !!name),
    context,
    sources,
  );

/** The stream with this name; null for an empty name. @throws ApiError if the caller can't access it */
export function getBotDefaultStreamIdOrThrow(
  name: string,
  acting: DirectoryUser,
  own: OwnPrivateStreamIds,
  { parts, volatile }: { readonly parts: ActorParts; readonly volatile: RealmMemoryState },
): StreamId | null {
  if (name === '') return null;
  const stream = findStreamRecord(parts, volatile.findStreamIdByName(name) ?? -1);
  if (!stream || !mayAccessStream(acting, stream, own.has(stream.id))) throw apiError('INVALID_STREAM_NAME', { name });
  return stream.id;
}

const WEBHOOK_PAYLOAD_FORMATS = [1, 2];

/** Checks the payload format of an outgoing webhook. @throws ApiError */
export function checkWebhookPayloadFormat(of: number): void {
  if (!WEBHOOK_PAYLOAD_FORMATS.includes(of)) throw apiError('INVALID_INTERFACE_TYPE');
}

const BOT_CREATION_BY_EVERYBODY_POLICY = 1;
const GENERIC_BOT_CREATION_BY_ADMINS_POLICY = 2;

/** Applies the policy `bot_creation_policy` to the caller. @throws ApiError */
export function checkMayCreateBot(
  acting: DirectoryUser,
  type: number,
  { bot_creation_policy: policy }: RealmSettings,
): void {
  if (isAdminOrOwner(acting) || policy === BOT_CREATION_BY_EVERYBODY_POLICY) return;
  if (policy !== GENERIC_BOT_CREATION_BY_ADMINS_POLICY || type === BOT_TYPE.generic) throw apiError('ADMIN_REQUIRED');
}

/** Types of bots that the API can create; embedded bots are not served. */
const CREATABLE_BOT_TYPES: readonly number[] = [BOT_TYPE.generic, BOT_TYPE.incomingWebhook, BOT_TYPE.outgoingWebhook];

interface CreateBotInputs {
  readonly keyHash: string;
  readonly keySealed: string;
  readonly tokenSealed: string;
  readonly ownPrivateStreamIds: OwnPrivateStreamIds;
}

export const createBotHandler: RealmCommandHandler<typeof realmActorCommands.createBot, CreateBotInputs> = {
  lane: BOT_CREATION_LANE,
  async inputs(args, context, sources) {
    const { secrets } = sources.services;
    const key = secrets.makeRandomApiKey(context.realm);
    return {
      keyHash: secrets.hashApiKeyOrToken(key),
      keySealed: secrets.seal(key),
      tokenSealed: secrets.seal(secrets.makeRandomApiKey(context.realm)),
      ownPrivateStreamIds: await loadOwnPrivateBotStreamIds(args, context, sources),
    };
  },

  handle(
    { state, parts, volatile },
    args,
    { keyHash, keySealed, tokenSealed, ownPrivateStreamIds },
    { caller, now, realm, version },
  ) {
    const acting = getActingUserOrThrow(parts, caller);
    if (args.shortName.trim() === '') throw apiError('NAME_OR_USERNAME');
    const fullName = toCheckedFullName(args.fullName);
    const email = `${args.shortName}-bot@${args.domain}`;
    if (args.type === BOT_TYPE.embedded) throw apiError('EMBEDDED_BOTS_OFF');
    if (!hasEmailAddressForm(email)) throw apiError('NAME_OR_USERNAME');
    if (volatile.findUserIdByEmail(email) !== undefined) throw apiError('USERNAME_IN_USE');
    checkBotNameIsUnique(parts, fullName);
    checkMayCreateBot(acting, args.type, state.settings);
    if (!CREATABLE_BOT_TYPES.includes(args.type)) throw apiError('INVALID_BOT_TYPE');
    checkWebhookPayloadFormat(args.interface);
    if (args.files > 1) throw apiError('ONE_FILE');
    const stream = (name: string | null) =>
      name === null ? null : getBotDefaultStreamIdOrThrow(name, acting, ownPrivateStreamIds, { parts, volatile });
    const sendingStream = stream(args.sending);
    const eventsStream = stream(args.events);
    if (args.type === BOT_TYPE.incomingWebhook && args.service && !findIncomingIntegration(args.service)) {
      throw apiError('INVALID_INTEGRATION', { name: args.service });
    }
    if (args.dry) return { reply: makeSuccessReply() };
    const id = state.nextUser;
    // A bot's user actor stores no API key, because bots do not log in.
    const account: NewRealmOwnerAccount = { email, fullName, passwordHash: null, keyHash, keySealed: '' };
    const user: DirectoryUser = {
      ...makeNewUserRecord({ id, recipient: state.nextRecipient, account, role: USER_ROLE.member, now }),
      botType: args.type,
      botOwner: acting.id,
    };
    const bot: DirectoryBot = {
      user: user.id,
      keySealed,
      sendingStream,
      eventsStream,
      allPublicStreams: args.allPublicStreams,
      service:
        args.type === BOT_TYPE.outgoingWebhook
          ? { baseUrl: args.payloadUrl, interface: args.interface, tokenSealed }
          : null,
      config: args.type === BOT_TYPE.incomingWebhook ? args.config : {},
    };
    volatile.indexUserEmails(id, email);
    const stored = makeBotAccountChanges({ user, bot });
    const [, ...addedEvents] = makeUserAddedLogItems(user, state.settings, now, version);
    return {
      reply: makeSuccessReply(
        {
          user_id: id,
          key_sealed: keySealed,
          avatar_url: avatarUrlOfUser(user),
          ...formatBotDefaultStreamsForApi(bot, makeStreamLookup(parts)),
        },
        version,
      ),
      state: { ...state, nextUser: id + 1, nextRecipient: state.nextRecipient + 1 },
      parts: stored.parts,
      events: [...stored.changes, ...addedEvents, makeBotAddedEvent(parts, { user, bot })],
      commands: [[makeCreateUserCommand(realm, id, account, version)]],
      replyAfterCommands: true,
    };
  },
};
