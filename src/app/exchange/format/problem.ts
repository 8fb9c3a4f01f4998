/** The error of an archive that can't be imported. Its message is for the operator and names the place. */
import { AdminError } from '#app/admin';

export class ExchangeProblem extends AdminError {
  override name = 'ExchangeProblem';
}

/** Makes the error of one row. @param table name of the table or file */
export const rowProblem = (table: string, id: unknown, what: string): ExchangeProblem =>
  new ExchangeProblem(`${table}, row ${String(id)}: ${what}`);
