/**
 * Changes of one property of a stream each: the new record, events, and the notice in the stream. The functions have
 * no side effects.
 */

import { formatSilentMention, formatStreamPrivacy, noticeTextsOfRealm, quoteStreamDescription } from '#actors/shared';
import { renderContextFreeMarkdownOrEmpty } from '#domain/markdown';
import { systemGroupIdOfPostPolicy } from '#domain/people';
import type { StreamPrivacyFlags } from '#domain/streams';
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
  const texts = noticeTextsOfRealm(context.settings);
  return {
    stream,
    events: [...makeStreamVisibilityEvents(before, stream, context.membership, context.version), update],
    notice: texts.streamPrivacyChanged(
      formatSilentMention(context.acting),
      formatStreamPrivacy(before, texts),
      formatStreamPrivacy(privacy, texts),
    ),
  };
}

/** Changes the retention time of messages. @param days null = the organization's default */
export function makeStreamRetentionChange(
  before: DirectoryStream,
  days: number | null,
  context: StreamChangeContext,
): StreamChangeOutcome {
  const stream = { ...before, retentionDays: days };
  const inForce = (own: number | null): number => own ?? context.settings.message_retention_days;
  return {
    stream,
    events: [
      makeStreamUpdatedEvent(before, makeAudienceOfStreamChange(stream, context), 'message_retention_days', days),
    ],
    notice: noticeTextsOfRealm(context.settings).streamRetentionChanged(
      formatSilentMention(context.acting),
      inForce(before.retentionDays),
      inForce(days),
    ),
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
  const texts = noticeTextsOfRealm(context.settings);
  return {
    stream,
    events: [
      makeStreamUpdatedEvent(before, makeAudienceOfStreamChange(stream, context), 'description', description, more),
    ],
    notice: texts.streamDescriptionChanged(
      formatSilentMention(context.acting),
      quoteStreamDescription(before.description, texts),
      quoteStreamDescription(description, texts),
    ),
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
    notice: noticeTextsOfRealm(context.settings).streamRenamed(formatSilentMention(context.acting), before.name, name),
  };
}

/** First API level whose clients know the group whose members may send to a stream. */
const FIRST_LEVEL_WITH_SENDING_GROUP = 333;

export function makeStreamPostPolicyChange(
  before: DirectoryStream,
  postPolicy: number,
  context: StreamChangeContext,
): StreamChangeOutcome {
  const stream = { ...before, postPolicy };
  const { streamPostPolicyChanged, streamPostPolicies } = noticeTextsOfRealm(context.settings);
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
    notice: streamPostPolicyChanged(
      formatSilentMention(context.acting),
      `${streamPostPolicies[before.postPolicy]}`,
      `${streamPostPolicies[postPolicy]}`,
    ),
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
