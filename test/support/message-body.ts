import type { StoredMessage } from '#domain/messages';

/** Body of an ordinary message in a stream; tests name the fields that they are about. */
export const messageBody = (over: Partial<StoredMessage['body']> = {}): StoredMessage['body'] => ({
  content: 'text',
  html: '<p>text</p>',
  topic: 'Tides',
  sent: 5,
  client: 'test',
  recipient: 3,
  stream: 4,
  rev: 1,
  flags: {},
  wildcard: false,
  topicLinks: [],
  has: { link: false, image: false },
  ...over,
});
