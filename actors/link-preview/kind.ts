/**
 * The link-preview actor of an organization fetches the pages that messages link. It is an actor of its own, so that a
 * slow page delays no conversation.
 */

import { isDeepStrictEqual } from 'node:util';
import { makeValueReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import type { LinkPreview, WebPageHead } from '#domain/link-previews';
import type { ActorKey } from '#model';
import {
  type ActorCommandName,
  type ArgsOfCommand,
  conversationActorCommands,
  type FetchLinkedPagesArgs,
  linkPreviewActorCommands,
  makeOutboxCommand,
  type OutboxCommand,
} from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKindDefinition, type CommandDefinition, mapHandlersByName } from '#runtime';
import type { ActorServices } from '../services.js';
import {
  FETCHED_PAGE_TABLE,
  findUnexpiredPage,
  hashPageUrl,
  type LinkPreviewActorState,
  MESSAGES_AWAITING_PREVIEW_TABLE,
  makeExpiredOrSurplusPageDeletions,
} from './state.js';

type LinkPreviewCommandHandler<C extends ActorCommandName<'links'>, I = undefined> = CommandDefinition<
  LinkPreviewActorState,
  ArgsOfCommand<C>,
  I,
  undefined,
  ActorServices
>;

/** Number of messages whose pages are fetched per run, at the same time. */
const MAX_MESSAGES_PER_FETCH_RUN = 8;
/** Maximum number of messages that wait; further ones get no previews. */
const MAX_MESSAGES_AWAITING_PREVIEW = 1_000;

const listMessagesAwaitingPreview = (
  parts: Parameters<typeof MESSAGES_AWAITING_PREVIEW_TABLE.values>[0],
): FetchLinkedPagesArgs[] => [...MESSAGES_AWAITING_PREVIEW_TABLE.values(parts)].sort((a, b) => a.message - b.message);

const queueMessageForPreviewHandler: LinkPreviewCommandHandler<typeof linkPreviewActorCommands.fetchLinks> = {
  creates: true,
  handle({ state, parts }, { message, conversation, urls }, _inputs, { now }) {
    if (listMessagesAwaitingPreview(parts).length >= MAX_MESSAGES_AWAITING_PREVIEW)
      return { reply: makeValueReply(null) };
    return {
      reply: makeValueReply(null),
      state,
      parts: MESSAGES_AWAITING_PREVIEW_TABLE.makePartChange(message, { message, conversation, urls }),
      due: now,
    };
  },
};

interface PageFetchRunResult {
  /** Messages whose pages this run has. Those that were queued or got other links during the run wait for the next. */
  readonly batch: readonly FetchLinkedPagesArgs[];
  /** Heads of the pages that this run has fetched, by address; null: no preview. */
  readonly fetchedHeadByUrl: ReadonlyMap<string, WebPageHead | null>;
}

/**
 * Fetches the pages of the next messages, and gives the previews to the conversations. The lane is separate, because
 * pages take their time, and exclusive, because a run must not find the messages of the run before. After a crash
 * between fetch and commit the pages are fetched again.
 */
const fetchPagesAndSendPreviewsHandler: LinkPreviewCommandHandler<
  typeof linkPreviewActorCommands.due,
  PageFetchRunResult
> = {
  lane: 'fetching',
  exclusive: true,
  async inputs(_args, { view }, { services }) {
    const now = services.clock.now();
    const batch = listMessagesAwaitingPreview(view.parts).slice(0, MAX_MESSAGES_PER_FETCH_RUN);
    const urls = batch.flatMap((waiting) => waiting.urls);
    const unknown = [...new Set(urls)].filter((url) => !findUnexpiredPage(view.parts, url, now));
    const heads = await Promise.all(unknown.map((url) => services.pages.fetchHeadOrUndefined(url)));
    return {
      batch,
      fetchedHeadByUrl: new Map(unknown.map((url, i) => [url, heads[i] ?? null])),
    };
  },
  handle({ parts }, _args, { batch, fetchedHeadByUrl }, { now }) {
    const waiting = listMessagesAwaitingPreview(parts);
    const urlsByMessage = new Map(batch.map(({ message, urls }) => [message, urls]));
    const done = waiting.filter(({ message, urls }) => isDeepStrictEqual(urls, urlsByMessage.get(message)));
    const headOf = (url: string): WebPageHead | null =>
      fetchedHeadByUrl.get(url) ?? findUnexpiredPage(parts, url, now)?.head ?? null;
    const written: Record<string, Json> = { ...makeExpiredOrSurplusPageDeletions(parts, fetchedHeadByUrl.size, now) };
    for (const [url, head] of fetchedHeadByUrl) {
      Object.assign(
        written,
        FETCHED_PAGE_TABLE.makePartChange(hashPageUrl(url), {
          at: now,
          head: head as (WebPageHead & JsonObject) | null,
        }),
      );
    }
    for (const { message } of done)
      Object.assign(written, MESSAGES_AWAITING_PREVIEW_TABLE.makePartChange(message, null));
    return {
      reply: makeValueReply(null),
      parts: written,
      commands: [done.flatMap((one) => makeShowLinkPreviewsCommands(one, headOf))],
      due: waiting.length > done.length ? now : null,
    };
  },
};

/** The command that shows the previews of a message; none if no page has a preview. */
function makeShowLinkPreviewsCommands(
  { message, conversation, urls }: FetchLinkedPagesArgs,
  headOf: (url: string) => WebPageHead | null,
): OutboxCommand[] {
  const previews = urls.flatMap((url): LinkPreview[] => {
    const head = headOf(url);
    return head ? [{ url, ...head }] : [];
  });
  if (previews.length === 0) return [];
  const to = conversation as ActorKey<'stream' | 'dm'>;
  const args = { message_id: message, previews };
  return [makeOutboxCommand({ to, name: conversationActorCommands.showLinkPreviews, args, caller: 0 })];
}

export const linkPreviewActorKind: ActorKindDefinition<LinkPreviewActorState, undefined, ActorServices> = {
  name: 'links',
  summary: 'The pages that messages of an organization link, fetched for previews.',
  usesDirectory: false,
  loadedParts: [MESSAGES_AWAITING_PREVIEW_TABLE.prefix, FETCHED_PAGE_TABLE.prefix],
  dueReachesOutside: true,
  maxDueDelayMs: 0,
  commands: mapHandlersByName(linkPreviewActorCommands, {
    fetchLinks: queueMessageForPreviewHandler,
    due: fetchPagesAndSendPreviewsHandler,
  }),
  makeInitialState: () => ({}),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
