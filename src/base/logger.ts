/** The part of pino's logger that is used here. */
export interface Logger {
  debug(context: object, message: string): void;
  /** Absent: it is not worth while to gather what only that level shows. */
  isLevelEnabled?(level: 'debug'): boolean;
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}
