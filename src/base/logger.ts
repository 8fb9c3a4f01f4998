/** The methods of pino's logger that the server uses. */
export interface Logger {
  debug(context: object, message: string): void;
  /** Without this method callers skip the work for debug entries. */
  isLevelEnabled?(level: 'debug'): boolean;
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}
