/** Bot objects for the owner and administrators (users.md § Bots, register.md realm_bot). */
import type { JsonObject } from '#base';
import type { StreamId } from '#model';
import type { DirectoryBot, DirectoryStream, DirectoryUser } from '#model/records';
import { avatarUrlOfUser } from './present-user.js';

export const BOT_TYPE = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3, embedded: 4 } as const;

/** True for bots that the server calls instead of sending them messages. */
export const isBotOfOutgoingService = ({ botType }: Pick<DirectoryUser, 'botType'>): boolean =>
  botType === BOT_TYPE.outgoingWebhook || botType === BOT_TYPE.embedded;

export type StreamLookup = (id: StreamId) => DirectoryStream | undefined;
/** Decrypts a text that was sealed with the server secret. Returns undefined if it was sealed with another one. */
export type TryUnsealText = (sealed: string) => string | undefined;

/** A default stream of a bot. An archived one is none: older versions left its id in the bot's record. */
export function findDefaultStreamOfBot(
  id: StreamId | null | undefined,
  find: StreamLookup,
): DirectoryStream | undefined {
  const stream = id ? find(id) : undefined;
  return stream?.archived ? undefined : stream;
}

/** Default streams of a bot, as responses and events name them. */
export const formatBotDefaultStreamsForApi = (bot: DirectoryBot, find: StreamLookup) => ({
  default_sending_stream: findDefaultStreamOfBot(bot.sendingStream, find)?.name ?? null,
  default_events_register_stream: findDefaultStreamOfBot(bot.eventsStream, find)?.name ?? null,
  default_all_public_streams: bot.allPublicStreams,
});

export const formatBotServicesWithSealedToken = ({ service }: DirectoryBot): JsonObject[] =>
  service === null ? [] : [{ base_url: service.baseUrl, interface: service.interface, token: service.tokenSealed }];

/** The bot object. Its secrets are still sealed (see `withUnsealedBotSecrets`). */
export const formatBotWithSealedSecrets = (user: DirectoryUser, bot: DirectoryBot, find: StreamLookup): JsonObject => ({
  email: user.email,
  user_id: user.id,
  full_name: user.fullName,
  bot_type: user.botType,
  is_active: user.isActive,
  api_key: bot.keySealed,
  ...formatBotDefaultStreamsForApi(bot, find),
  owner_id: user.botOwner,
  avatar_url: avatarUrlOfUser(user),
  services: formatBotServicesWithSealedToken(bot),
});

/** Fields of a bot without the API key and the tokens, for the web client. */
export function withoutBotSecrets({ api_key: _, ...bot }: JsonObject): JsonObject {
  const services = bot.services as readonly JsonObject[] | undefined;
  return services ? { ...bot, services: services.map(({ token: _, ...service }) => service) } : bot;
}

/**
 * Fields of a bot with the API key and the tokens in clear. A secret that can't be decrypted is void, and is shown
 * as ''.
 */
export function withUnsealedBotSecrets(bot: JsonObject, unseal: TryUnsealText): JsonObject {
  const open = (sealed: unknown): string => unseal(String(sealed)) ?? '';
  const services = bot.services as readonly JsonObject[] | undefined;
  return {
    ...bot,
    ...(bot.api_key === undefined ? {} : { api_key: open(bot.api_key) }),
    ...(services ? { services: services.map((one) => ({ ...one, token: open(one.token) })) } : {}),
  };
}
