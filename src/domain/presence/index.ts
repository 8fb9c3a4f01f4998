export {
  hidesPresence,
  LISTED_MS,
  listPresences,
  type PresenceForm,
  type PresenceList,
  type PresenceTimes,
  presenceEvent,
  presenceOfOne,
  serverTime,
} from './forms.js';
export { type AskPresences, type PresenceChanges, PresenceReplica, presencesIn } from './replica.js';
