/** Streams, subscriptions and topics (streams.md). */
import { bad, type CatalogueEntry } from './entry.js';

export const streams = {
  STREAM_INACCESSIBLE: bad('Unable to access stream ({stream_name}).'),
  STREAM_NAME_EMPTY: bad("Stream name can't be empty!"),
  STREAM_NAME_TOO_LONG: bad('Stream name too long (limit: {limit} characters).'),
  STREAM_NAME_CHARACTER: bad('Invalid character in stream name, at position {position}!'),
  STREAM_NAME_SAME: bad('Stream already has that name!'),
  STREAM_NAME_TAKEN: bad("Stream name '{name}' is already taken."),
  STREAM_ALREADY_DEACTIVATED: bad('Stream is already deactivated'),
  GROUP_NOT_SYSTEM: bad("'{setting}' must be a system user group."),
  GROUP_NOT_ALLOWED: bad("'{setting}' setting cannot be set to '{group}' group."),
  NO_WEB_PUBLIC_STREAMS: bad('Web-public streams are not enabled.'),
  DEFAULT_STREAM_PRIVATE: bad('Default streams cannot be made private.'),
  DEFAULT_STREAM_PRIVATE_ADD: bad('Private streams cannot be made default.'),
  INVALID_PARAMETERS: bad('Invalid parameters'),
  UNKNOWN_SUBSCRIPTION_PROPERTY: bad('Unknown subscription property: {property}'),
  NOT_SUBSCRIBED: bad('Not subscribed to stream id {stream_id}'),
  TOPIC_NOT_MUTED: bad('Topic is not muted'),
  SUPPLY_STREAM: bad("Please supply 'stream'."),
  STREAM_TWICE: bad("Please choose one: 'stream' or 'stream_id'."),
  SUBSCRIBERS_UNAVAILABLE: bad('Subscriber data is not available for this stream'),
  SUBSCRIBERS_PRIVATE: bad('Unable to retrieve subscribers for private stream'),
} as const satisfies Record<string, CatalogueEntry>;
