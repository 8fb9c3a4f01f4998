/** Reads the TAP that a test program writes: how many facts held, and which did not. */

/** Comment that `several.ts` writes before each file that it runs. */
export const FILE_MARK = 'file: ';
/** Comment that `cpu-time.ts` writes at the end of a program. */
export const CPU_MARK = 'cpu: ';
/**
 * Start of the comment that `counted-facts.ts` writes at the end of a program, before the number of facts that held and
 * were not written.
 */
export const COUNTED_MARK = 'counted facts: ';
/** Title of the empty subtest that `several.ts` adds after each file. */
export const FILE_END = 'end of file';

/** A fact that does not hold. */
export interface FailedFact {
  /** Test file, when the program runs several. */
  readonly file: string | undefined;
  /** Titles from the outermost subtest to the fact itself. */
  readonly titles: readonly string[];
  /** Lines of the YAML block after the fact. */
  readonly details: readonly string[];
}

export interface Counts {
  facts: number;
  failed: number;
  skipped: number;
}

const FACT = /^( *)(not )?ok \d+(?: - (.*))?$/;
const SUBTEST = /^( *)# Subtest: (.*)$/;
const TOTALS = /^# \{ total: (\d+)(.*)\}/;
const COUNT = /(fail|skip|todo): (\d+)/g;
const LEVEL = 4;

/** TAP has a backslash before `#`, which begins a directive, and before itself. */
const unescaped = (text: string): string => text.replaceAll(/\\([#\\])/g, '$1');

/** A line without ` # time=…`, ` # SKIP …` and the brace that opens a buffered subtest. */
const titleOf = (text: string): string => unescaped(text.replace(/ #.*$/, '').replace(/ \{$/, ''));

/** The facts of one program, read from its TAP output. */
export class Facts {
  readonly failures: FailedFact[] = [];
  readonly skips: string[] = [];
  /** Files of `several.ts` that ran to their end. */
  files = 0;
  /** Titles of the outermost subtests that ran. */
  readonly outermostTitles = new Set<string>();
  /** Levels of the subtests that ran, the ends of files apart: 2 if one ran inside another. */
  levels = 0;
  /** Number of facts that hold and were counted instead of written (counted-facts.ts). */
  counted = 0;
  /** Undefined until the program has written its totals, after its last fact. */
  counts: Counts | undefined;
  /** CPU that the program and its children have used; 0 for a program that was killed. */
  cpuSeconds = 0;
  #file: string | undefined;
  /** Titles of the open subtests, by level. */
  readonly #open: (string | undefined)[] = [];
  #details: string[] | undefined;
  #inYaml = false;
  #rest = '';

  write(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (this.#inYaml) {
      this.#yaml(line);
    } else if (line.endsWith('---') && line.trim() === '---') {
      this.#inYaml = true;
    } else if (line.startsWith('# {')) {
      this.#totals(line);
    } else if (line.startsWith(`# ${FILE_MARK}`)) {
      this.#file = line.slice(FILE_MARK.length + 2);
    } else if (line.startsWith(`# ${CPU_MARK}`)) {
      this.cpuSeconds = Number(line.slice(CPU_MARK.length + 2));
    } else if (line.startsWith(`# ${COUNTED_MARK}`)) {
      this.counted = Number(line.slice(COUNTED_MARK.length + 2));
    } else {
      this.#subtestOrFact(line);
    }
  }

  #yaml(line: string): void {
    if (line.trim() === '...') {
      this.#inYaml = false;
      this.#details = undefined;
    } else {
      this.#details?.push(line);
    }
  }

  #totals(line: string): void {
    const [, total, rest = ''] = TOTALS.exec(line) ?? [];
    if (total === undefined) return;
    const counts: Record<string, number> = { fail: 0, skip: 0, todo: 0 };
    for (const [, what = '', count] of rest.matchAll(COUNT)) counts[what] = Number(count);
    this.counts = { facts: Number(total), failed: counts.fail!, skipped: counts.skip! + counts.todo! };
  }

  #subtestOrFact(line: string): void {
    const [, indent, escaped = ''] = SUBTEST.exec(line) ?? [];
    if (indent !== undefined) {
      const subtest = unescaped(escaped);
      this.#open.length = indent.length / LEVEL;
      this.#open.push(subtest);
      if (this.#open.length === 1) this.outermostTitles.add(subtest);
      // tap writes a subtest that `--grep` leaves out as a fact, without this line.
      if (subtest !== FILE_END) this.levels = Math.max(this.levels, this.#open.length);
      return;
    }
    const [, before, not, text = ''] = FACT.exec(line) ?? [];
    if (before === undefined) return;
    this.#details = undefined;
    const level = before.length / LEVEL;
    if (text.includes(' # SKIP')) this.skips.push(text);
    // The line that closes a subtest repeats what its facts have said.
    const closes = this.#open.length > level;
    if (level === 0 && titleOf(text) === FILE_END) this.files++;
    this.#open.length = level;
    if (not === undefined || closes) return;
    this.#details = [];
    const titles = [...this.#open.map((title) => title ?? ''), titleOf(text)];
    this.failures.push({ file: this.#file, titles, details: this.#details });
  }
}
