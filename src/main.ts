/** Start of the program; src/app/server/serve.ts is the table of contents of what `conclave serve` starts and stops. */
import { runCommandLine } from '#app/cli';
import { setPrivateUmask } from '#base/disk';

/** Tests run many commands in one process by it: the start of a process takes ten times the CPU of a command. */
export { runCommandLine };

setPrivateUmask();
// Not `await`: the bundle is CommonJS, which knows none at the top.
void runCommandLine(process.argv.slice(2), process.env).then((code) => {
  process.exitCode = code;
});
