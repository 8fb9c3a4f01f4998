/** Failure of an administration command, in words for the operator. */
export class AdminError extends Error {
  override name = 'AdminError';
}

/** A word or an option of the command has a value that no state of the server would allow. */
export class InvalidArgumentError extends AdminError {}

/** The running server that carried out the commands has stopped, or was killed: the connection to it is closed. */
export class ServerStoppedError extends AdminError {
  constructor() {
    super('the server stopped; run the same command again');
  }
}
