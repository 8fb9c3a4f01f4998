/**
 * Folder api declares the operations of the HTTP API: one `defineOperation({…})` per operation (`operation.ts`), listed
 * in `operations/index.ts`. Routing, checks and the reference (docs/openapi.json) are made from these declarations.
 *
 * A declaration holds:
 * - `method`, `path` and `guard` (roles that may call it), and options such as `anonymous` or `webhookBots`;
 * - `parameters`: place, encoding, schema and bounds of each. `parameters.ts` has short forms, `queue-parameters.ts`
 *   those of event queues. Folder http converts and validates, so `run` gets typed values;
 * - bounds: `maxBodyMib`, `pictureMib`, `rateLimit`; absent bounds are the MAX_ constants of `operation.ts`;
 * - `run`: answers from the directory replica, or returns `forwardCommand({ to, command, args })`: a command of
 *   `#model/commands` for an actor, whose reply becomes the response. `call.send` is for commands whose reply `run` has
 *   to read.
 *
 * Helpers of several areas: `look-up.ts` (streams and users that a call names), `store-picture.ts` (uploads of
 * pictures), `raw-answers.ts` (files and redirects), `readable-key.ts` (API keys in clear), `log-in.ts` (address and
 * password).
 *
 * Invariants: operations keep no state except caches that can be dropped; before a name is called unknown, the replica
 * is brought to the end of the log; rules that need an actor's state are checked by its handler. A new operation needs
 * its declaration, its line in `operations/index.ts`, a handler for its command and entries in the error catalogue.
 * Importers: other folders of `frontend`, and `app`.
 */
export {
  type ApiCall,
  type ApiOperation,
  type BrowserPushSubscriptionRules,
  DEFAULT_MAX_JSON_PARAMETER_CHARACTERS,
  DEFAULT_MAX_JSON_PARAMETER_VALUES,
  DEFAULT_MAX_REQUEST_BODY_MIB,
  DEFAULT_MAX_TEXT_PARAMETER_CHARACTERS,
  type ForwardedCommand,
  forwardCommand,
  type HttpMethod,
  type OperationCallerGuard,
  type OperationOutcome,
  type ParameterDeclaration,
  type ParameterDeclarations,
  type PollKeepalive,
  type UploadedFile,
} from './operation.js';
export { API_OPERATIONS, apiOperationsOfLevel, NEWER_API_OPERATIONS } from './operations/index.js';
export {
  hasParametersOfHigherLevels,
  isParameterKnownAtLevel,
  knownParametersOfLevel,
  parametersOfLevel,
} from './parameter-levels.js';
