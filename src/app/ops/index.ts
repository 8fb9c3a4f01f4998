/**
 * Ops: what operators see of a running process over HTTP.
 *
 * `health.ts` runs named checks (`HEALTH_CHECK_NAMES`) and measures the delay of the event loop; `pages.ts` serves the
 * results as /health/live, /health/ready and /metrics. `app/server/observe.ts` adds checks and opens the listener.
 *
 * /health/live answers 200 as long as the event loop runs. /health/ready answers 503 while a check fails; one check
 * fails during the start, one after SIGTERM. The health pages are on both listeners (clients' and
 * operators'), /metrics only on the operators'.
 *
 * Invariants: pages need no credentials and contain no secret; error messages of services never reach them. Probes
 * cost the services at most one request a second.
 *
 * Importers: `app/server`.
 */
export { EventLoopDelayMeter, type HealthCheckName, HealthMonitor, type StartLoopDelayTimer } from './health.js';
export { createHealthPages, createOpsPages, respondNotFound, serveOpsPage } from './pages.js';
