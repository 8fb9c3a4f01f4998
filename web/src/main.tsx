/** Entry of the web client: makes the platform and the core, then shows the shell. */
import { Core } from './core/index.js';
import { installServiceWorker, keepScriptsForOffline, keepSessionHint, makeBrowserPlatform } from './platform/index.js';
import { startShell } from './shell/index.js';

const core = new Core(makeBrowserPlatform());
keepSessionHint(core.session.state);
core.startQueueAndPresence();
void startShell(core, document.getElementById('app')!, keepScriptsForOffline);
addEventListener('load', () => void installServiceWorker());
