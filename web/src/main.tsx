/** Entry of the web client: makes the platform and the core, then renders the shell. */
import { render } from 'preact';
import { App } from './shell/index.js';
import './style/index.css';

render(<App />, document.getElementById('app')!);
