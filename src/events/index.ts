export { receives, roleAt } from './audience.js';
export { type EventSink, type FeedEnd, RealmFeed } from './feed.js';
export { Feeds } from './feeds.js';
export * from './shared-event.js';
