import { core } from '../client/index.js';

/** Whether the organization's policy lets the reader change topics, of own messages too. */
export const mayChangeTopics = (): boolean => core.state.me.isAllowedByPolicyNamed('edit_topic_policy');

export const mayMoveBetweenStreams = (): boolean =>
  core.state.me.isAllowedByPolicyNamed('move_messages_between_streams_policy');

/** Whether policies let the reader move messages of streams to another topic or stream. */
export const mayMoveMessages = (): boolean => mayChangeTopics() || mayMoveBetweenStreams();
