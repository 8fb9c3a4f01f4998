/** Entry of the web client: makes the platform and the core, then shows the shell. */
import { Core } from './core/index.js';
import { installServiceWorker, makeBrowserPlatform } from './platform/index.js';
import { startShell } from './shell/index.js';
import './style/index.css';

const core = new Core(makeBrowserPlatform());
core.startQueueAndPresence();
void startShell(core, document.getElementById('app')!);
addEventListener('load', () => void installServiceWorker());
