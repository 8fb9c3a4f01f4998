/** What went wrong, in words for the person at the terminal. */
export class AdminError extends Error {
  override name = 'AdminError';
}
