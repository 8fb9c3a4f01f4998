/** The whole client as one component. */
export function App() {
  return <main>Hello from Conclave.</main>;
}
