/** Tells received money from paid money by the marks of a column. */
import { normaliseName, type CsvRow, type StatementHead } from '#server/drivers/statements/csv-head.ts'
import { StatementError } from '#server/drivers/statements/statement.ts'

const creditMark = /^(c|cr|crdt|credit|deposit|in|\+|贷|贷方|贷记|貸|貸方|貸記|收|收入|入|存入|转入)$/
const debitMark = /^(d|dr|dbit|debit|withdrawal|out|-|借|借方|借记|借記|付|支|支出|出|支取|转出)$/
/** Columns with these names may have marks, or other texts such as "FPS". */
const openNames = new Set(['type', 'transactiontype'])

const readMark = (cell: string | undefined) => (cell ?? '').normalize('NFKC').trim().toLowerCase()

/**
 * Whether the cells are marks. At least one must be of paid money. Signs alone are marks only if there are both, because a column without
 * values may have "-" in each row.
 */
function hasMarks(marks: readonly string[], isOpenName: boolean): boolean {
  const hasDebit =
    marks.some((mark) => mark !== '-' && debitMark.test(mark)) || (marks.includes('-') && marks.includes('+'))
  return hasDebit && (isOpenName || marks.every((mark) => creditMark.test(mark) || debitMark.test(mark)))
}

/** If the head line names neither a column of credit nor one of marks, adds the first other column that has marks. */
export function addDirection(head: StatementHead, rows: readonly CsvRow[]): StatementHead {
  const { columns, textColumns, currencyColumns, cells } = head
  if (columns.credit !== undefined || columns.direction !== undefined) return head
  const used = new Set([...Object.values(columns), ...textColumns, ...currencyColumns])
  const direction = cells.findIndex((name, index) => {
    if (used.has(index)) return false
    const marks = rows.map((row) => readMark(row.cells[index])).filter((mark) => mark !== '')
    return hasMarks(marks, openNames.has(normaliseName(name)))
  })
  return direction === -1 ? head : { ...head, columns: { ...columns, direction } }
}

/** Returns whether the money was received. Throws StatementError for a cell that is no mark. */
export function readDirection({ cells, line }: CsvRow, head: StatementHead, index: number): boolean {
  const mark = readMark(cells[index])
  if (creditMark.test(mark)) return true
  if (debitMark.test(mark)) return false
  throw new StatementError('BAD_DIRECTION', { line, column: head.cells[index] ?? '' })
}
