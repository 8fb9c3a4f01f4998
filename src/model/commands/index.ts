/**
 * The commands of all actors, each declared once: the name that travels, the type of the arguments, the type of the reply.
 * One table per kind (`realmCommands.createUser`), one line per command.
 *
 * Senders name the declaration: an operation with `forward`, an actor with `redirect`, `outboxCommand` or `ask`, the
 * administration with `ActorCaller`. Arguments, key of the actor and reply are checked against it. The kind gives its
 * handlers as a table with the same keys (`handlersOf` of the runtime), so that each declared command has exactly one
 * handler, whose arguments are the declared ones. To find the handler of a command, look for references of its line here.
 *
 * Names travel between hosts of different versions and stand in outboxes: the string of a command never changes.
 *
 * Types and names only; imports ids, records and JSON types, and may be imported by everything above `model`.
 */
export * from './command.js';
export * from './event-queue.js';
export * from './login-guard.js';
export * from './mail.js';
export * from './presence.js';
export * from './realm.js';
export * from './stream.js';
export * from './user.js';
export * from './webhook.js';
