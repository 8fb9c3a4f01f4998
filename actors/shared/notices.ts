/** Commands to conversations: a system bot, mostly the notification bot, sends a notice. The text is Markdown. */

import { NOTIFICATION_BOT_ID, readUserSettingByUserId } from '#domain/people';
import { type StreamPrivacyFlags, streamPrivacyKindOf } from '#domain/streams';
import { type NoticeTexts, noticeTextsIn, serverLanguageOfSetting } from '#domain/texts';
import {
  directMessageActorKey,
  type RealmId,
  type RealmSettings,
  streamActorKey,
  toStreamId,
  toUserId,
  type UserId,
} from '#model';
import {
  directMessageActorCommands,
  makeOutboxCommand,
  type OutboxCommand,
  streamActorCommands,
} from '#model/commands';
import type { DirectoryView } from '#model/records';

export interface SystemNotice {
  readonly content: string;
  /** Base URL of the organization. */
  readonly origin: string;
  /** Users for whom the notice counts as read as soon as it is sent. */
  readonly read?: readonly number[];
  /** True if no user gets a mail or a push about the notice. */
  readonly quiet?: boolean;
  /** Realm version at which the names in the notice's text exist. */
  readonly after: number;
}

/** The command that sends a notice to a stream. */
export const makeStreamNoticeCommand = (
  realm: RealmId,
  stream: number,
  topic: string,
  { after, ...notice }: SystemNotice,
): OutboxCommand =>
  makeOutboxCommand({
    to: streamActorKey(realm, toStreamId(stream)),
    name: streamActorCommands.notice,
    args: { read: [], ...notice, topic },
    caller: 0,
    after,
  });

/** The command that sends a notice to one user. @param bot sender */
export function makeDirectNoticeCommand(
  realm: RealmId,
  user: number,
  { after, ...notice }: SystemNotice,
  bot = NOTIFICATION_BOT_ID,
): OutboxCommand {
  const participants = [bot, toUserId(user)].sort((a, b) => a - b);
  return makeOutboxCommand({
    to: directMessageActorKey(realm, participants),
    name: directMessageActorCommands.directNotice,
    args: { read: [], ...notice, topic: '', participants, bot },
    caller: 0,
    after,
  });
}

/** Markdown that mentions a user without notifying them. */
export const formatSilentMention = ({ id, fullName }: { readonly id: number; readonly fullName: string }): string =>
  `@_**${fullName}|${id}**`;

/** Texts of notices in streams, in the language of the organization. */
export const noticeTextsOfRealm = (settings: RealmSettings): NoticeTexts =>
  noticeTextsIn(serverLanguageOfSetting(settings.default_language));

/** Texts of notices to one user, in the language of the user. */
export const noticeTextsOfUser = (directory: DirectoryView, user: UserId): NoticeTexts =>
  noticeTextsIn(serverLanguageOfSetting(readUserSettingByUserId(directory, user, 'default_language')));

/** Topic of notices about a stream itself, such as a change of its name. Topics of notices are English (realm.md). */
export const STREAM_EVENTS_TOPIC_NAME = 'stream events';

/** A stream's description in a quote block. */
export const quoteStreamDescription = (description: string, { noDescription }: NoticeTexts): string =>
  `\`\`\`\` quote\n${description === '' ? noDescription : description}\n\`\`\`\``;

/** The name of a stream's privacy. @param stream privacy that a stream may have */
export const formatStreamPrivacy = (stream: StreamPrivacyFlags, { streamPrivacy }: NoticeTexts): string =>
  streamPrivacy[streamPrivacyKindOf(stream)!];
