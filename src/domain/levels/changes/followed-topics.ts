import type { ApiChange } from '../change.js';

export const SETTINGS_OF_FOLLOWED_TOPICS: ApiChange = {
  since: 189,
  summary: 'Settings `enable_followed_topic_…`: notifications of topics that the user follows.',
};

export const AUTOMATIC_TOPIC_POLICIES: ApiChange = {
  since: 214,
  summary: 'Settings that follow or unmute topics in which the user takes part.',
};

export const FOLLOWING_WHERE_MENTIONED: ApiChange = {
  since: 235,
  summary: 'Setting that follows topics in which the user is mentioned.',
};
