import { readCamt } from '#server/drivers/statements/read-camt.ts'
import { readCsv } from '#server/drivers/statements/read-csv.ts'
import type { Statement } from '#server/drivers/statements/statement.ts'

/** Throws StatementError. Reading 2 million characters takes up to some seconds. */
export const readStatement = (content: string): Statement =>
  /^\uFEFF?\s*</.test(content) ? readCamt(content) : readCsv(content)
