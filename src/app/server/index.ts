export { greeting, zuliprcText } from './first-start.js';
export { ConclaveNode } from './node.js';
export { isCluster, openPorts } from './open-ports.js';
export type { Ports } from './ports.js';
export { databaseCalled, logNames } from './ports-cluster.js';
export { hasData, keptSecret, serverSecret } from './secret.js';
export { judged, mismatch } from './secret-check.js';
export { serve } from './serve.js';
export { checkSurroundings } from './surroundings.js';
