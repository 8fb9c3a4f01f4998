/** Failure whose message is meant for the person at the terminal. */
export class AdminError extends Error {
  override name = 'AdminError';
}
