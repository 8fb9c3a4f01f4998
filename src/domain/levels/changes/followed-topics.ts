import type { ApiChange } from '../change.js';

export const SETTINGS_OF_FOLLOWED_TOPICS: ApiChange = {
  since: 189,
  summary: 'Settings `enable_followed_topic_…`: notifications of topics that the user follows.',
};
