/** Failure of an administration command, in words for the operator. */
export class AdminError extends Error {
  override name = 'AdminError';
}
