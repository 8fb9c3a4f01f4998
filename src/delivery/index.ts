export { receives, roleAt } from './audience.js';
export { RealmFeed, type Subscribers } from './feed.js';
export { Feeds } from './feeds.js';
export { Overview, OverviewBudget } from './overview.js';
export { PersonalParts } from './personal.js';
export { RecentBudget } from './recent.js';
export { type EventShape, isClientItem, SharedEvent, TransientEvent } from './shared-event.js';
export type { EventSink, LivePosition } from './sink.js';
