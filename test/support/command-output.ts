import { runCommandLine } from '#app/cli';

export interface CommandOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the program in this process; returns its exit code and what it printed. */
export async function runAndCapture(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandOutput> {
  const texts = { stdout: '', stderr: '' };
  const before = [process.stdout.write, process.stderr.write] as const;
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = ((chunk: string) => {
      texts[name] += chunk;
      return true;
    }) as typeof process.stdout.write;
  }
  try {
    return { code: await runCommandLine(argv, environment), ...texts };
  } finally {
    [process.stdout.write, process.stderr.write] = before;
  }
}
