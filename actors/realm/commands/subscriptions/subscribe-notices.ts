/** Notices of the notification bot about subscriptions by others and new streams (streams.md). */

import {
  formatSilentMention,
  makeDirectNoticeCommand,
  makeStreamNoticeCommand,
  type NoticeBotMessage,
  quoteStreamDescription,
  STREAM_EVENTS_TOPIC_NAME,
} from '#actors/shared';
import { streamPrivacyNameOf } from '#domain/streams';
import { type RealmId, type RealmSettings, toStreamId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';

const NEW_STREAMS = 'new streams';

interface SubscribeNoticeInput {
  readonly realm: RealmId;
  readonly acting: DirectoryUser;
  readonly created: readonly DirectoryStream[];
  /** Names of existing streams to which a user was subscribed, by user. */
  readonly intoExisting: ReadonlyMap<DirectoryUser, readonly string[]>;
  readonly announce: boolean;
  readonly settings: RealmSettings;
  readonly origin: string;
  /** Realm version at which the new streams exist. */
  readonly after: number;
}

const link = (name: string): string => `#**${name}**`;

/** Maximum characters of the list of streams in a notice, so that the notice with its other text fits a message. */
const MAX_LIST_CHARS = 9_000;

/** The first names that fit a notice, and the number of the others. */
function shownNames(names: readonly string[]): { readonly shown: readonly string[]; readonly more: number } {
  let length = 0;
  const over = names.findIndex((name) => {
    length += link(name).length + 3;
    return length > MAX_LIST_CHARS;
  });
  return over < 0 ? { shown: names, more: 0 } : { shown: names.slice(0, over), more: names.length - over };
}

function subscribedText(acting: DirectoryUser, names: readonly string[]): string {
  const who = `@**${acting.fullName}|${acting.id}** subscribed you to the`;
  if (names.length === 1) return `${who} stream ${link(names[0]!)}.`;
  const { shown, more } = shownNames([...names].sort());
  const lines = [...shown.map((name) => `* ${link(name)}`), ...(more > 0 ? [`* and ${more} more`] : [])];
  return `${who} following streams:\n\n${lines.join('\n')}`;
}

function announcement(acting: DirectoryUser, created: readonly DirectoryStream[]): string {
  const { shown, more } = shownNames(created.map(({ name }) => name));
  const names = `${shown.map(link).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const what = created.length === 1 ? 'a new stream' : 'the following streams:';
  return `${formatSilentMention(acting)} created ${what} ${names}.`;
}

const createdText = (acting: DirectoryUser, stream: DirectoryStream): string =>
  `**${streamPrivacyNameOf(stream)}** stream created by ${formatSilentMention(acting)}. **Description:**\n${quoteStreamDescription(stream.description)}`;

export function makeSubscribeNoticeCommands(of: SubscribeNoticeInput): OutboxCommand[] {
  const { realm, acting, created, settings, origin, after } = of;
  const notice = (content: string): NoticeBotMessage => ({ content, origin, after, read: [acting.id] });
  const notices: OutboxCommand[] = [];
  for (const [user, names] of of.intoExisting) {
    if (user.id === acting.id || user.botType !== null) continue;
    notices.push(makeDirectNoticeCommand(realm, user.id, notice(subscribedText(acting, names))));
  }
  const announced = settings.notifications_stream_id;
  if (of.announce && created.length > 0 && announced > 0) {
    notices.push(
      makeStreamNoticeCommand(realm, toStreamId(announced), NEW_STREAMS, notice(announcement(acting, created))),
    );
  }
  for (const stream of created) {
    notices.push(
      makeStreamNoticeCommand(realm, stream.id, STREAM_EVENTS_TOPIC_NAME, notice(createdText(acting, stream))),
    );
  }
  return notices;
}
