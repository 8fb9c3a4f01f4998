/** The methods of pino's logger that the server uses. */
export interface Logger {
  debug(context: object, message: string): void;
  /** True if debug entries are logged; without this method callers don't compute them. */
  isLevelEnabled?(level: 'debug'): boolean;
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}
