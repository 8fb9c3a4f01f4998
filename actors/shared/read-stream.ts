/** To a user's actor, which marks what it finds unread in the stream. */
export const READ_STREAM = 'read-stream';
