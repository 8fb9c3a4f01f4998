/** Texts of inbox, recent conversations, drafts and scheduled messages. */
export const overviews = {
  'overviews.empty': 'Nothing here yet.',
} as const;
