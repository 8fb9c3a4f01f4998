/**
 * Folder gateway connects frontends with the rest of the server: it implements FrontendServices of folder http. It is
 * the only part of the frontend that imports the runtime's client.
 *
 * - `gateway.ts`: accounts by API key and organizations by host name, from directory replicas; a look-up opens or
 *   refreshes a replica if necessary.
 * - `forward-run.ts`: one command to an actor, with its redirects, its follow-up command, and its end before an answer.
 * - `newest-messages.ts`: the newest message of each user, followed in the log instead of asked for.
 * - `realms.ts`, `site.ts`: from a host name to an organization, and from an organization to its base URL.
 *
 * Invariants: failures of services (no owner, log away, replica behind) become refusals of the API, all other errors
 * stay faults. A forged Host header never gets into a text that other users read. A reply that reports a change is
 * confirmed only after this frontend's replica shows it. Importers: `app`.
 */
export { FrontendGateway } from './gateway.js';
export { findRealmByHostOrFirst, subdomainOfHost } from './realms.js';
export { type SiteUrlOptions, siteUrlOfRealm } from './site.js';
