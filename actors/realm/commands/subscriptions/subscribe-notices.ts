/** Notices of the notification bot about subscriptions by others and new streams (streams.md). */

import {
  formatSilentMention,
  formatStreamPrivacy,
  makeDirectNoticeCommand,
  makeStreamNoticeCommand,
  noticeTextsOfRealm,
  quoteStreamDescription,
  STREAM_EVENTS_TOPIC_NAME,
  type SystemNotice,
} from '#actors/shared';
import type { NoticeTexts } from '#domain/texts';
import { type RealmId, type RealmSettings, toStreamId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { ActorParts } from '../../state.js';
import { noticeTextsOfAccount } from '../mails.js';

const NEW_STREAMS_TOPIC_NAME = 'new streams';

interface SubscribeNoticesInput {
  readonly realm: RealmId;
  readonly acting: DirectoryUser;
  readonly createdStreams: readonly DirectoryStream[];
  /** Names of existing streams to which a user was subscribed, by user. */
  readonly joinedStreamNamesByUser: ReadonlyMap<DirectoryUser, readonly string[]>;
  readonly announce: boolean;
  readonly settings: RealmSettings;
  /** Parts of the realm's actor, with the languages of the accounts. */
  readonly parts: ActorParts;
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

function formatSubscribedNotice(acting: DirectoryUser, names: readonly string[], texts: NoticeTexts): string {
  const by = `@**${acting.fullName}|${acting.id}**`;
  if (names.length === 1) return texts.subscribedToStream(by, formatStreamLink(names[0]!));
  const { shown, more } = selectStreamNamesFittingNotice([...names].sort());
  const items = [...shown.map(formatStreamLink), ...(more > 0 ? [texts.moreStreams(more)] : [])];
  return texts.subscribedToStreams(by, items.map((item) => `* ${item}`).join('\n'));
}

function formatNewStreamsAnnouncement(
  acting: DirectoryUser,
  created: readonly DirectoryStream[],
  texts: NoticeTexts,
): string {
  const { shown, more } = selectStreamNamesFittingNotice(created.map(({ name }) => name));
  const names = `${shown.map(formatStreamLink).join(', ')}${more > 0 ? ` ${texts.moreStreams(more)}` : ''}`;
  return texts[created.length === 1 ? 'newStream' : 'newStreams'](formatSilentMention(acting), names);
}

const formatStreamCreatedNotice = (acting: DirectoryUser, stream: DirectoryStream, texts: NoticeTexts): string =>
  texts.streamCreated(
    formatSilentMention(acting),
    formatStreamPrivacy(stream, texts),
    quoteStreamDescription(stream.description, texts),
  );

export function makeSubscribeNoticeCommands(of: SubscribeNoticesInput): OutboxCommand[] {
  const { realm, acting, createdStreams, settings, parts, origin, after } = of;
  const texts = noticeTextsOfRealm(settings);
  const notice = (content: string): SystemNotice => ({ content, origin, after, read: [acting.id] });
  const notices: OutboxCommand[] = [];
  for (const [user, names] of of.joinedStreamNamesByUser) {
    if (user.id === acting.id || user.botType !== null) continue;
    const content = formatSubscribedNotice(acting, names, noticeTextsOfAccount(parts, user));
    notices.push(makeDirectNoticeCommand(realm, user.id, notice(content)));
  }
  const announced = settings.notifications_stream_id;
  if (of.announce && createdStreams.length > 0 && announced > 0) {
    notices.push(
      makeStreamNoticeCommand(
        realm,
        toStreamId(announced),
        NEW_STREAMS_TOPIC_NAME,
        notice(formatNewStreamsAnnouncement(acting, createdStreams, texts)),
      ),
    );
  }
  for (const stream of createdStreams) {
    notices.push(
      makeStreamNoticeCommand(
        realm,
        stream.id,
        STREAM_EVENTS_TOPIC_NAME,
        notice(formatStreamCreatedNotice(acting, stream, texts)),
      ),
    );
  }
  return notices;
}
