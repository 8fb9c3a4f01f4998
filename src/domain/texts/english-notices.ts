/**
 * English texts of notices: messages that the server's own bots write, in Markdown. Mentions, links of streams and
 * topics, and quotes are arguments, already in Markdown.
 */
import { PRODUCT_NAME } from '#model/errors';

const formatRetentionPeriod = (days: number): string => (days < 0 ? 'Forever' : `${days} days`);

export const englishNoticeTexts = {
  welcome: (newcomer: string): string =>
    [
      `Hello ${newcomer}, and welcome to ${PRODUCT_NAME}!`,
      'Messages are in streams, and each has a topic: reply where a conversation is, or begin one of your own. Direct messages like this one are between you and the people you choose.',
      'To try it out, just answer here.',
    ].join('\n\n'),
  /** @param total number of active accounts of people */
  signedUp: (newcomer: string, total: number): string =>
    `${newcomer} just signed up for ${PRODUCT_NAME}. (total: ${total})`,
  invitationAccepted: (newcomer: string): string => `${newcomer} has accepted your invitation.`,

  subscribedToStream: (by: string, stream: string): string => `${by} subscribed you to the stream ${stream}.`,
  /** @param list Markdown list of the streams */
  subscribedToStreams: (by: string, list: string): string =>
    `${by} subscribed you to the following streams:\n\n${list}`,
  newStream: (by: string, stream: string): string => `${by} created a new stream ${stream}.`,
  newStreams: (by: string, streams: string): string => `${by} created the following streams: ${streams}.`,
  /** The end of a list of streams that is too long for a notice. */
  moreStreams: (n: number): string => `and ${n} more`,

  /** @param privacy one of `streamPrivacy` @param quote the description */
  streamCreated: (by: string, privacy: string, quote: string): string =>
    `**${privacy}** stream created by ${by}. **Description:**\n${quote}`,
  /** Privacy of streams (streams.md). */
  streamPrivacy: {
    webPublic: 'Web-public',
    public: 'Public',
    privateSharedHistory: 'Private, shared history',
    privateProtectedHistory: 'Private, protected history',
  },
  noDescription: '*No description.*',
  streamPrivacyChanged: (by: string, from: string, to: string): string =>
    `${by} changed the [access permissions](/help/stream-permissions) for this stream from **${from}** to **${to}**.`,
  /** @param from number of days, or less than 0: forever */
  streamRetentionChanged: (by: string, from: number, to: number): string =>
    `${by} has changed the [message retention period](/help/message-retention-policy) for this stream:\n` +
    `* **Old retention period**: ${formatRetentionPeriod(from)}\n` +
    `* **New retention period**: ${formatRetentionPeriod(to)}\n\n` +
    (to < 0
      ? 'Messages in this stream will now be retained forever.'
      : `Messages in this stream will now be automatically deleted ${to} days after they are sent.`),
  streamDescriptionChanged: (by: string, from: string, to: string): string =>
    `${by} changed the description for this stream.\n\n* **Old description:**\n${from}\n* **New description:**\n${to}`,
  streamRenamed: (by: string, from: string, to: string): string => `${by} renamed stream **${from}** to **${to}**.`,
  streamPostPolicyChanged: (by: string, from: string, to: string): string =>
    `${by} changed the [posting permissions](/help/stream-sending-policy) for this stream:\n\n` +
    `* **Old permissions**: ${from}.\n* **New permissions**: ${to}.`,
  /** By the setting `stream_post_policy`. */
  streamPostPolicies: {
    1: 'All stream members can post',
    2: 'Only organization administrators can post',
    3: 'Only organization full members can post',
    4: 'Only organization administrators and moderators can post',
  } as Readonly<Record<number, string>>,

  topicResolved: (by: string): string => `${by} has marked this topic as resolved.`,
  topicUnresolved: (by: string): string => `${by} has marked this topic as unresolved.`,
  topicMovedHere: (by: string, from: string): string => `This topic was moved here from ${from} by ${by}.`,
  messageMovedHere: (by: string, from: string, url: string): string =>
    `[A message](${url}) was moved here from ${from} by ${by}.`,
  messagesMovedHere: (by: string, from: string, count: number): string =>
    `${count} messages were moved here from ${from} by ${by}.`,
  topicMovedAway: (by: string, to: string): string => `This topic was moved to ${to} by ${by}.`,
  messageMovedAway: (by: string, to: string): string => `A message was moved from this topic to ${to} by ${by}.`,
  messagesMovedAway: (by: string, to: string, count: number): string =>
    `${count} messages were moved from this topic to ${to} by ${by}.`,

  addedToGroup: (by: string, group: string): string => `${by} added you to the group ${group}.`,
  removedFromGroup: (by: string, group: string): string => `${by} removed you from the group ${group}.`,
  dataExportStored: (url: string): string => `Your data export is complete and has been uploaded here:\n\n${url}`,
  /** @param time in Markdown @param reason refusal of the API */
  scheduledMessageNotSent: (time: string, reason: string): string =>
    [
      `The message you scheduled for ${time} was not sent because of the following error:`,
      `> ${reason}`,
      '[View scheduled messages](#scheduled)',
    ].join('\n\n'),

  botMessageWithoutSubscribers: (bot: string, stream: string): string =>
    `${bot} sent a message to ${stream}, but nobody is subscribed to it.`,
  /** @param stream name of a stream, as code */
  botMessageWithoutStream: (bot: string, stream: string): string =>
    `${bot} could not send a message to the stream ${stream}, because there is none.`,

  /** Notices to the owner of a bot. A message is one of `reportedMessage`, a reason one of `webhookFaults`. */
  webhookCallsDropped: (bot: string): string =>
    `Messages to ${bot} were not passed on: too many of them wait for its server.`,
  /** @param reason refusal of the API */
  webhookReplyRefused: (bot: string, message: string, reason: string): string =>
    `${bot} could not answer ${message}: ${reason}`,
  webhookReplyUnclear: (bot: string, message: string, reason: string): string =>
    `${bot} was told of ${message}, but ${reason}.`,
  webhookNotCalled: (bot: string, message: string, reason: string): string =>
    `${bot} was not told of ${message}: ${reason}.`,
  reportedMessage: {
    direct: 'a direct message',
    hidden: 'a message that you may not read',
    linked: (url: string): string => `[a message](${url})`,
  },
  /** Reasons why a webhook call failed: clauses that follow a comma or a colon. `detail`: a number or a code. */
  webhookFaults: {
    noWebServer: (_detail: string): string => 'its address is none of a web server',
    forbiddenAddress: (_detail: string): string => 'its address is one that this server does not call',
    noDirectMessages: (_detail: string): string => 'its form of calls knows no direct messages',
    voidToken: (_detail: string): string =>
      'its token is void since the server secret was changed, and its settings show a new one',
    unreachable: (detail: string): string => `it could not be reached (${detail})`,
    unreachableAddress: (_detail: string): string => 'it could not be reached (no address that this server calls)',
    timeout: (_detail: string): string => 'it took longer than 10 seconds',
    connectionBroke: (detail: string): string => `the connection broke (${detail})`,
    answerBroke: (_detail: string): string => 'the connection broke while it answered',
    answerTooLong: (_detail: string): string => 'its answer was too long',
    status: (detail: string): string => `its server answered with status ${detail}`,
    notJson: (_detail: string): string => 'its answer is not JSON',
    notObject: (_detail: string): string => 'its answer is no JSON object',
    notText: (_detail: string): string => 'what its answer says is not text',
  },
};

/** The texts of notices in one language. */
export type NoticeTexts = typeof englishNoticeTexts;

/** Why a webhook call failed, in no language yet. */
export interface WebhookFault {
  readonly fault: keyof NoticeTexts['webhookFaults'];
  readonly detail?: string;
}
