/** Reads the report of an earlier run for a comparison. */
import { readFile } from 'node:fs/promises';
import { loadDifferences } from './comparison.js';
import type { Mix } from './mix.js';
import type { LoadOptions } from './options.js';
import type { ReportData } from './report.js';

/** Fields that a comparison needs. */
const REQUIRED_FIELDS = [
  'options',
  'mix',
  'rows',
  'series',
  'balance',
] as const satisfies readonly (keyof ReportData)[];

/** @throws Error with the file name if the file is no report */
export async function readReport(file: string): Promise<ReportData> {
  let data: Partial<ReportData> | null;
  try {
    data = JSON.parse(await readFile(file, 'utf8')) as Partial<ReportData> | null;
  } catch (error) {
    throw new Error(`--against ${file}: ${(error as Error).message}`);
  }
  const isReport = data?.format === 1 && REQUIRED_FIELDS.every((name) => typeof data[name] === 'object');
  if (!isReport) throw new Error(`--against ${file}: not a report.json of this harness`);
  return data as ReportData;
}

/** @throws Error with the differing options if the planned run has another load, unless `--against-anyway` is set */
export async function readEarlierReport(options: LoadOptions, mix: Mix): Promise<ReportData | undefined> {
  if (options.against === undefined) return undefined;
  const earlier = await readReport(options.against);
  const planned = JSON.parse(JSON.stringify({ options, mix })) as Pick<ReportData, 'options' | 'mix'>;
  const obstacles = loadDifferences(earlier, planned);
  if (obstacles.length > 0 && !options.againstAnyway) {
    throw new Error(
      `--against ${options.against}: not the same load: ${obstacles.join('; ')} (--against-anyway compares nevertheless)`,
    );
  }
  return earlier;
}
