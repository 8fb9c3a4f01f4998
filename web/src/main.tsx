/** Entry of the web client: makes the platform and the core, then shows the shell. */
import { Core } from './core/index.js';
import { browserPlatform, installWorker } from './platform/index.js';
import { startShell } from './shell/index.js';
import './style/index.css';

const core = new Core(browserPlatform());
core.start();
void startShell(core, document.getElementById('app')!);
addEventListener('load', () => void installWorker());
