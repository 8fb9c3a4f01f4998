/** Bits of `flags_mask`. Other bits are unused, or have a meaning only for the exporting server. */
export const EXPORTED_MESSAGE_FLAG_BITS = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  wildcard_mentioned: 16,
  /** The bit has this meaning on newer servers only: an older feature used it before. */
  topic_wildcard_mentioned: 32,
  has_alert_word: 512,
  historical: 1024,
  is_private: 2048,
} as const;
