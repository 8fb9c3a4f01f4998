/** Accounts of every organization that belong to the server itself. */

/** Tells people what happened to their streams and topics. */
export const NOTIFICATION_BOT = 1;
