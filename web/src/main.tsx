/** Entry of the web client: makes the platform and the core, then renders the shell. */
import { render } from 'preact';
import { Core } from './core/index.js';
import { browserPlatform } from './platform/index.js';
import { App } from './shell/index.js';
import './style/index.css';

const core = new Core(browserPlatform());
core.start();
render(<App core={core} />, document.getElementById('app')!);
