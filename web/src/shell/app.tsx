import type { Core } from '../core/index.js';

/** The whole client as one component. */
export function App({ core }: { readonly core: Core }) {
  return <main>Hello from Conclave: {core.session.state}.</main>;
}
