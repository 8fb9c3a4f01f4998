/**
 * Preloaded by the runner: turns off `createHook` of `node:async_hooks` before tap is loaded. tap
 * follows every asynchronous resource with it, to find the subtest of an uncaught exception, which costs a sixth of the
 * CPU of the API suite. Without it such an exception ends the program, and the runner reports the program as failed.
 */
import asyncHooks, { type AsyncHook } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const noHook: AsyncHook = { enable: () => noHook, disable: () => noHook };
asyncHooks.createHook = () => noHook;
syncBuiltinESMExports();
