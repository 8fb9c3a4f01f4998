export {
  hidesPresence,
  listPresences,
  MAX_LISTED_AGE_MS,
  OFFLINE_SECONDS,
  type PresenceForm,
  type PresenceList,
  type PresenceTimes,
  presenceEvent,
  presenceOfOne,
  serverTime,
} from './forms.js';
export {
  type FetchPresences,
  type PresenceChanges,
  type PresenceCursor,
  PresenceReplica,
  presencesIn,
} from './replica.js';
