/** Mentions that only clients of newer API levels write. */
import type { ApiCall } from './operation.js';

/** First API level with both `@**topic**` and `@**channel**`. */
const FIRST_LEVEL_WITH_NEWER_MENTIONS = 247;

/** Argument of a command with a text: whether the client that wrote it knows the newer mentions. */
export const newerMentionsArgument = ({ apiLevel }: Pick<ApiCall<unknown>, 'apiLevel'>): { newer_mentions?: true } =>
  apiLevel >= FIRST_LEVEL_WITH_NEWER_MENTIONS ? { newer_mentions: true } : {};
