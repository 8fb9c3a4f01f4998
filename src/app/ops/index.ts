export { CHECKS, type Check, type CheckName, Health, type Readiness } from './health.js';
export { LoopDelay } from './loop-delay.js';
export { answerPage, healthPages, noPage, opsPages } from './pages.js';
