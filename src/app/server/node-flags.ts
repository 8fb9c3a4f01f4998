/**
 * With these flags of Node.js a server is to be started (package.json, deploy/): they can't be set later. What is made for a request
 * lives until its group is flushed to the disk, longer than V8's usual 16 MiB for what is young last under load; then it is dear to
 * collect. Measured: a quarter more messages per second embedded (docs/performance.md). The least size is for times of rest: V8 takes a
 * process that rests down to 1 MiB, which fills every three seconds, so that what lives as long as a held poll outlives its youth.
 */
export const NODE_FLAGS: readonly string[] = ['--min-semi-space-size=16', '--max-semi-space-size=64'];
