/** Bits of `flags_mask`. Other bits are unused, or have a meaning only for the exporting server. */
export const EXPORTED_MESSAGE_FLAG_BITS = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  wildcard_mentioned: 16,
  /** Of newer servers; older ones used the bit for a feature that has ended. */
  topic_wildcard_mentioned: 32,
  has_alert_word: 512,
  historical: 1024,
  is_private: 2048,
} as const;
