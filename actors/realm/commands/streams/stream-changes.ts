/**
 * Changes of one property of a stream each: the new record, events, and the notice in the stream. The functions have
 * no side effects.
 */

import { formatSilentMention, quoteStreamDescription } from '#actors/shared';
import { renderContextFreeMarkdownOrEmpty } from '#domain/markdown';
import { systemGroupIdOfPostPolicy } from '#domain/people';
import { type StreamPrivacyFlags, streamPrivacyNameOf } from '#domain/streams';
import type { LogItem, RealmSettings } from '#model';
import type { StreamSubscribersReply } from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import { makeStreamEventAudience, makeStreamUpdatedEvent, makeStreamVisibilityEvents } from './stream-events.js';

export interface StreamChangeOutcome {
  readonly stream: DirectoryStream;
  readonly events: readonly LogItem[];
  /** Events of newer API levels. They come after all others, whose ids stay those that they have without them. */
  readonly newerEvents?: readonly LogItem[];
  /** Text of the notice about the change, Markdown; absent: no notice. */
  readonly notice?: string;
}

export interface StreamChangeContext {
  readonly acting: DirectoryUser;
  readonly membership: StreamSubscribersReply;
  readonly version: number;
  readonly settings: RealmSettings;
}

/** Audience of the change: all users who see the stream after it. */
const makeAudienceOfStreamChange = (stream: DirectoryStream, { membership, version }: StreamChangeContext) =>
  makeStreamEventAudience(stream, membership.mv, version);

export function makeStreamPrivacyChange(
  before: DirectoryStream,
  privacy: StreamPrivacyFlags,
  context: StreamChangeContext,
): StreamChangeOutcome {
  const stream = { ...before, ...privacy };
  const update = makeStreamUpdatedEvent(
    before,
    makeAudienceOfStreamChange(stream, context),
    'invite_only',
    privacy.inviteOnly,
    {
      history_public_to_subscribers: privacy.historyPublic,
      is_web_public: privacy.webPublic,
    },
  );
  const what = '[access permissions](/help/stream-permissions) for this stream';
  return {
    stream,
    events: [...makeStreamVisibilityEvents(before, stream, context.membership, context.version), update],
    notice: `${formatSilentMention(context.acting)} changed the ${what} from **${streamPrivacyNameOf(before)}** to **${streamPrivacyNameOf(privacy)}**.`,
  };
}

const formatRetentionPeriod = (days: number): string => (days < 0 ? 'Forever' : `${days} days`);

/** Changes the retention time of messages. @param days null = the organization's default */
export function makeStreamRetentionChange(
  before: DirectoryStream,
  days: number | null,
  context: StreamChangeContext,
): StreamChangeOutcome {
  const stream = { ...before, retentionDays: days };
  const inForce = (own: number | null): number => own ?? context.settings.message_retention_days;
  const now = inForce(days);
  const summary =
    now < 0
      ? 'Messages in this stream will now be retained forever.'
      : `Messages in this stream will now be automatically deleted ${now} days after they are sent.`;
  return {
    stream,
    events: [
      makeStreamUpdatedEvent(before, makeAudienceOfStreamChange(stream, context), 'message_retention_days', days),
    ],
    notice:
      `${formatSilentMention(context.acting)} has changed the [message retention period](/help/message-retention-policy) ` +
      `for this stream:\n* **Old retention period**: ${formatRetentionPeriod(inForce(before.retentionDays))}\n` +
      `* **New retention period**: ${formatRetentionPeriod(now)}\n\n${summary}`,
  };
}

export function makeStreamDescriptionChange(
  before: DirectoryStream,
  description: string,
  context: StreamChangeContext,
): StreamChangeOutcome {
  const renderedDescription = renderContextFreeMarkdownOrEmpty(description);
  const stream = { ...before, description, renderedDescription };
  const more = { rendered_description: renderedDescription };
  return {
    stream,
    events: [
      makeStreamUpdatedEvent(before, makeAudienceOfStreamChange(stream, context), 'description', description, more),
    ],
    notice:
      `${formatSilentMention(context.acting)} changed the description for this stream.\n\n` +
      `* **Old description:**\n${quoteStreamDescription(before.description)}\n* **New description:**\n${quoteStreamDescription(description)}`,
  };
}

export function makeStreamNameChange(
  before: DirectoryStream,
  name: string,
  context: StreamChangeContext,
): StreamChangeOutcome {
  const stream = { ...before, name };
  const to = makeAudienceOfStreamChange(stream, context);
  return {
    stream,
    // The e-mail address of a stream stays empty, because incoming e-mail is not served.
    events: [makeStreamUpdatedEvent(before, to, 'email_address', ''), makeStreamUpdatedEvent(before, to, 'name', name)],
    notice: `${formatSilentMention(context.acting)} renamed stream **${before.name}** to **${name}**.`,
  };
}

const POST_POLICY_DESCRIPTIONS: Readonly<Record<number, string>> = {
  1: 'All stream members can post',
  2: 'Only organization administrators can post',
  3: 'Only organization full members can post',
  4: 'Only organization administrators and moderators can post',
};

/** First API level whose clients know the group whose members may send to a stream. */
const FIRST_LEVEL_WITH_SENDING_GROUP = 333;

export function makeStreamPostPolicyChange(
  before: DirectoryStream,
  postPolicy: number,
  context: StreamChangeContext,
): StreamChangeOutcome {
  const stream = { ...before, postPolicy };
  const to = makeAudienceOfStreamChange(stream, context);
  return {
    stream,
    events: [
      makeStreamUpdatedEvent(before, to, 'stream_post_policy', postPolicy),
      makeStreamUpdatedEvent(before, to, 'is_announcement_only', postPolicy === 2),
    ],
    newerEvents: [
      {
        ...makeStreamUpdatedEvent(before, to, 'can_send_message_group', systemGroupIdOfPostPolicy(postPolicy)),
        sinceLevel: FIRST_LEVEL_WITH_SENDING_GROUP,
      },
    ],
    notice:
      `${formatSilentMention(context.acting)} changed the [posting permissions](/help/stream-sending-policy) for this stream:` +
      `\n\n* **Old permissions**: ${POST_POLICY_DESCRIPTIONS[before.postPolicy]}.\n* **New permissions**: ${POST_POLICY_DESCRIPTIONS[postPolicy]}.`,
  };
}

export function makeCanRemoveSubscribersGroupChange(
  before: DirectoryStream,
  group: number,
  context: StreamChangeContext,
): StreamChangeOutcome {
  const stream = { ...before, canRemoveGroup: group };
  return {
    stream,
    events: [
      makeStreamUpdatedEvent(
        before,
        makeAudienceOfStreamChange(stream, context),
        'can_remove_subscribers_group_id',
        group,
      ),
    ],
  };
}
