/** All changes since the base level, oldest first. */
import type { ApiChange } from '../change.js';
import { ACTIVITY_OF_ACCOUNTS } from './account-activity.js';
import { STATE_OF_CHANNELS } from './archived-channels.js';
import { CHANNELS_IN_QUEUE_NARROWS } from './channel-narrows.js';
import { CHANNELS_AS_RECIPIENTS, RECIPIENTS_OF_TYPING } from './channel-recipients.js';
import { CHANNELS_OF_GUESTS } from './channels-of-guests.js';
import { STATE_OF_GROUPS } from './deactivated-groups.js';
import { IDS_OF_DEFAULT_STREAMS } from './default-streams.js';
import { IDS_OF_DELETED_CHANNELS } from './deleted-channels.js';
import { EMPTY_TOPIC_NAME } from './empty-topic.js';
import { CODES_OF_ALL_ERRORS } from './error-codes.js';
import { AUTOMATIC_TOPIC_POLICIES, FOLLOWING_WHERE_MENTIONED, SETTINGS_OF_FOLLOWED_TOPICS } from './followed-topics.js';
import { SEPARATED_FORMULAS } from './formulas.js';
import { COLORS_OF_SUBSCRIPTIONS } from './hex-colors.js';
import { STATES_OF_LOGIN_METHODS } from './login-methods.js';
import { MESSAGE_EDIT_EVENTS } from './message-edits.js';
import { PREVIEWS_WITH_PICTURES } from './page-previews.js';
import {
  GROUP_DELETING_ANY_MESSAGE,
  GROUP_DELETING_OWN_MESSAGES,
  GROUP_SENDING_TO_CHANNEL,
} from './permission-groups.js';
import { WELL_FORMED_POLLS } from './polls.js';
import { NAMES_OF_EXTRA_EMOJI } from './product-emoji.js';
import { NAMES_OF_ROLE_GROUPS } from './role-groups.js';
import { EDITS_OF_SAVED_SNIPPETS, SAVED_SNIPPETS } from './saved-snippets.js';
import { TYPING_PERIODS } from './server-facts.js';
import { FORMATS_OF_THUMBNAILS, THUMBNAILS_IN_MESSAGES } from './thumbnails.js';
import { UPLOAD_QUOTA_IN_MIB, URL_OF_UPLOADS } from './uploads.js';

const CHANGES: readonly ApiChange[] = [
  CHANNELS_AS_RECIPIENTS,
  CHANNELS_IN_QUEUE_NARROWS,
  RECIPIENTS_OF_TYPING,
  TYPING_PERIODS,
  CHANNELS_OF_GUESTS,
  ACTIVITY_OF_ACCOUNTS,
  STATES_OF_LOGIN_METHODS,
  UPLOAD_QUOTA_IN_MIB,
  URL_OF_UPLOADS,
  FORMATS_OF_THUMBNAILS,
  THUMBNAILS_IN_MESSAGES,
  CODES_OF_ALL_ERRORS,
  COLORS_OF_SUBSCRIPTIONS,
  MESSAGE_EDIT_EVENTS,
  NAMES_OF_EXTRA_EMOJI,
  NAMES_OF_ROLE_GROUPS,
  WELL_FORMED_POLLS,
  SEPARATED_FORMULAS,
  PREVIEWS_WITH_PICTURES,
  GROUP_DELETING_ANY_MESSAGE,
  GROUP_DELETING_OWN_MESSAGES,
  GROUP_SENDING_TO_CHANNEL,
  STATE_OF_GROUPS,
  STATE_OF_CHANNELS,
  IDS_OF_DEFAULT_STREAMS,
  EMPTY_TOPIC_NAME,
  IDS_OF_DELETED_CHANNELS,
  SAVED_SNIPPETS,
  EDITS_OF_SAVED_SNIPPETS,
  SETTINGS_OF_FOLLOWED_TOPICS,
  AUTOMATIC_TOPIC_POLICIES,
  FOLLOWING_WHERE_MENTIONED,
];

export const API_CHANGES: readonly ApiChange[] = [...CHANGES].sort((a, b) => a.since - b.since);

const LEVEL_BY_NEW_SECTION: ReadonlyMap<string, number> = new Map(
  API_CHANGES.flatMap(({ since, newSections = [] }) =>
    newSections.map((section): [string, number] => [section, since]),
  ),
);

/** True if the state at this level has the section. @param level of the event queue; undefined: the base level */
export const isStateSectionOfLevel = (section: string, level: number | undefined): boolean =>
  (LEVEL_BY_NEW_SECTION.get(section) ?? 0) <= (level ?? 0);
