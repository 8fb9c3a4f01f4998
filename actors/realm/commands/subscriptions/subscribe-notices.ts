/** Notices of the notification bot about subscriptions by others and new streams (streams.md). */

import {
  formatSilentMention,
  makeDirectNoticeCommand,
  makeStreamNoticeCommand,
  quoteStreamDescription,
  STREAM_EVENTS_TOPIC_NAME,
  type SystemNotice,
} from '#actors/shared';
import { streamPrivacyNameOf } from '#domain/streams';
import { type RealmId, type RealmSettings, toStreamId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';

const NEW_STREAMS_TOPIC_NAME = 'new streams';

interface SubscribeNoticesInput {
  readonly realm: RealmId;
  readonly acting: DirectoryUser;
  readonly createdStreams: readonly DirectoryStream[];
  /** Names of existing streams to which a user was subscribed, by user. */
  readonly joinedStreamNamesByUser: ReadonlyMap<DirectoryUser, readonly string[]>;
  readonly announce: boolean;
  readonly settings: RealmSettings;
  readonly origin: string;
  /** Realm version at which the new streams exist. */
  readonly after: number;
}

const formatStreamLink = (name: string): string => `#**${name}**`;

/** Maximum characters of the list of streams in a notice, so that the notice with its other text fits a message. */
const MAX_NOTICE_STREAM_LIST_CHARS = 9_000;

/** The first names that fit a notice, and the number of the others. */
function selectStreamNamesFittingNotice(names: readonly string[]): {
  readonly shown: readonly string[];
  readonly more: number;
} {
  let length = 0;
  const over = names.findIndex((name) => {
    length += formatStreamLink(name).length + 3;
    return length > MAX_NOTICE_STREAM_LIST_CHARS;
  });
  return over < 0 ? { shown: names, more: 0 } : { shown: names.slice(0, over), more: names.length - over };
}

function formatSubscribedNotice(acting: DirectoryUser, names: readonly string[]): string {
  const who = `@**${acting.fullName}|${acting.id}** subscribed you to the`;
  if (names.length === 1) return `${who} stream ${formatStreamLink(names[0]!)}.`;
  const { shown, more } = selectStreamNamesFittingNotice([...names].sort());
  const lines = [...shown.map((name) => `* ${formatStreamLink(name)}`), ...(more > 0 ? [`* and ${more} more`] : [])];
  return `${who} following streams:\n\n${lines.join('\n')}`;
}

function formatNewStreamsAnnouncement(acting: DirectoryUser, created: readonly DirectoryStream[]): string {
  const { shown, more } = selectStreamNamesFittingNotice(created.map(({ name }) => name));
  const names = `${shown.map(formatStreamLink).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const what = created.length === 1 ? 'a new stream' : 'the following streams:';
  return `${formatSilentMention(acting)} created ${what} ${names}.`;
}

const formatStreamCreatedNotice = (acting: DirectoryUser, stream: DirectoryStream): string =>
  `**${streamPrivacyNameOf(stream)}** stream created by ${formatSilentMention(acting)}. **Description:**\n${quoteStreamDescription(stream.description)}`;

export function makeSubscribeNoticeCommands(of: SubscribeNoticesInput): OutboxCommand[] {
  const { realm, acting, createdStreams, settings, origin, after } = of;
  const notice = (content: string): SystemNotice => ({ content, origin, after, read: [acting.id] });
  const notices: OutboxCommand[] = [];
  for (const [user, names] of of.joinedStreamNamesByUser) {
    if (user.id === acting.id || user.botType !== null) continue;
    notices.push(makeDirectNoticeCommand(realm, user.id, notice(formatSubscribedNotice(acting, names))));
  }
  const announced = settings.notifications_stream_id;
  if (of.announce && createdStreams.length > 0 && announced > 0) {
    notices.push(
      makeStreamNoticeCommand(
        realm,
        toStreamId(announced),
        NEW_STREAMS_TOPIC_NAME,
        notice(formatNewStreamsAnnouncement(acting, createdStreams)),
      ),
    );
  }
  for (const stream of createdStreams) {
    notices.push(
      makeStreamNoticeCommand(
        realm,
        stream.id,
        STREAM_EVENTS_TOPIC_NAME,
        notice(formatStreamCreatedNotice(acting, stream)),
      ),
    );
  }
  return notices;
}
