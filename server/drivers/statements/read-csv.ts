/** Reads a bank statement in CSV. Banks have no common format, so the head line decides what the columns are. */
import { CsvError, parse } from 'csv-parse/sync'
import { type Currency, writeAmount } from '#domain/money.ts'
import { findDecimalSign, type DecimalSign, readStatementAmount } from '#server/drivers/statements/csv-amounts.ts'
import { type DateOrder, findDateOrder, readDate } from '#server/drivers/statements/csv-dates.ts'
import { addDirection, readDirection } from '#server/drivers/statements/csv-direction.ts'
import {
  countColumns,
  type CsvRow,
  findHead,
  findNameSuffix,
  findValueAbove,
  requireUniqueColumns,
  type StatementHead,
} from '#server/drivers/statements/csv-head.ts'
import {
  joinTexts,
  maxEntries,
  maxLengths,
  readCurrency,
  type Statement,
  type StatementEntry,
  StatementError,
} from '#server/drivers/statements/statement.ts'

const separators = [',', ';', '\t', '|'] as const
/** The head line is within these first lines and characters. */
const maxHeadRow = 40
const maxHeadLength = 20_000

interface CsvContext {
  head: StatementHead
  dateOrder: DateOrder
  decimalSign: DecimalSign | null
  /** What the file says outside the rows. */
  account: string
  currency: Currency | 'unsupported' | null
}

/** Throws StatementError. */
export function readCsv(content: string): Statement {
  const text = content.replace(/^\uFEFF/, '').replace(/^sep=(.)\r?\n/i, '')
  const removedLines = content.split('\n', 2).length > 1 && /^\uFEFF?sep=./i.test(content) ? 1 : 0
  const separator = chooseSeparator(text)
  const rows = parseRows(text, separator).map(({ cells, line }) => ({ cells, line: line + removedLines }))
  const head = findHead(rows)
  if (!head) throw new StatementError('UNKNOWN_FORMAT')
  requireUniqueColumns(head)
  const headIndex = rows.findIndex(({ line }) => line === head.line)
  const entryRows = rows.slice(headIndex + 1).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  if (entryRows.length > maxEntries) throw new StatementError('TOO_MANY_ENTRIES')
  for (const row of entryRows) requireColumnCount(row, head)
  const context = buildContext(addDirection(head, entryRows), rows.slice(0, headIndex), entryRows)
  const entries = entryRows.flatMap((row) => readRow(row, context) ?? [])
  return { entries, skipped: entryRows.length - entries.length }
}

/** Returns the separator with which the head line has most of the columns that are known. */
function chooseSeparator(text: string): string {
  const lines = text.slice(0, maxHeadLength).split(/\r?\n|\r/, maxHeadRow)
  const counts = separators.map((separator) => {
    const rows = lines.map((line, index) => ({ cells: line.split(separator), line: index + 1 }))
    const head = findHead(rows)
    return { separator, count: head === null ? 0 : countColumns(head) }
  })
  const best = counts.reduce((first, other) => (other.count > first.count ? other : first))
  if (best.count === 0) throw new StatementError('UNKNOWN_FORMAT')
  return best.separator
}

/** Throws StatementError if a quotation mark is missing or out of place. */
function parseRows(text: string, separator: string): CsvRow[] {
  try {
    const records: unknown = parse(text, {
      delimiter: separator,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 100_000,
      to: maxHeadRow + maxEntries + 1,
    })
    return (records as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      cells: record,
      line: info.lines,
    }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new StatementError('BAD_QUOTES', typeof error['lines'] === 'number' ? { line: error['lines'] } : {})
  }
}

/** A row may have more cells than the head line only if they are empty. */
function requireColumnCount({ cells, line }: CsvRow, head: StatementHead): void {
  const extraCells = cells.slice(head.cells.length)
  if (cells.length < head.cells.length || extraCells.some((cell) => cell.trim() !== ''))
    throw new StatementError('WRONG_COLUMN_COUNT', { line })
}

const getCells = (rows: readonly CsvRow[], index: number | undefined) =>
  index === undefined ? [] : rows.map(({ cells }) => cells[index] ?? '')

function buildContext(head: StatementHead, rowsAbove: readonly CsvRow[], rows: readonly CsvRow[]): CsvContext {
  const { columns, cells } = head
  const moneyColumns = [columns.credit, columns.debit, columns.amount]
  const suffixes = moneyColumns.flatMap((index) => (index === undefined ? [] : [findNameSuffix(cells[index] ?? '')]))
  const namedCurrencies = [findValueAbove(rowsAbove, 'currency'), ...suffixes].flatMap(
    (name) => readCurrency(name) ?? [],
  )
  return {
    head,
    dateOrder: findDateOrder(getCells(rows, columns.date)),
    decimalSign: findDecimalSign(moneyColumns.flatMap((index) => getCells(rows, index))),
    account: findValueAbove(rowsAbove, 'account'),
    currency: namedCurrencies[0] ?? null,
  }
}

/** Returns null if the row is not received money of a supported currency. */
function readRow(row: CsvRow, context: CsvContext): StatementEntry | null {
  const { columns, textColumns } = context.head
  const amount = readReceived(row, context)
  if (amount === null) return null
  const currency = readRowCurrency(row, context)
  if (currency === 'unsupported') return null
  const getCell = (index: number | undefined) => (index === undefined ? '' : (row.cells[index] ?? ''))
  return {
    account: joinTexts([getCell(columns.account) || context.account], maxLengths.account),
    day: readRowDay(row, context),
    currency,
    amount: writeAmount(amount),
    sender: joinTexts([getCell(columns.sender)], maxLengths.sender),
    reference: joinTexts(textColumns.map(getCell), maxLengths.reference),
    bankReference: joinTexts([getCell(columns.bankReference)], maxLengths.bankReference),
  }
}

/** Returns null for a row without money, such as an opening balance. */
function readCell(
  { cells, line }: CsvRow,
  { head, decimalSign }: CsvContext,
  index: number | undefined,
): bigint | null {
  const cell = index === undefined ? '' : (cells[index] ?? '').trim()
  if (index === undefined || /^[-–—]?$/.test(cell)) return null
  const amount = readStatementAmount(cell, decimalSign)
  const position = { line, column: head.cells[index] ?? '' }
  if (amount === 'ambiguous') throw new StatementError('AMBIGUOUS_AMOUNT', position)
  if (amount === null) throw new StatementError('BAD_AMOUNT', position)
  return amount
}

/** Returns null if the row is not received money. */
function readReceived(row: CsvRow, context: CsvContext): bigint | null {
  const { columns, cells } = context.head
  if (columns.credit !== undefined) {
    const credit = readCell(row, context, columns.credit) ?? 0n
    const debit = readCell(row, context, columns.debit) ?? 0n
    if (credit !== 0n && debit !== 0n)
      throw new StatementError('BAD_AMOUNT', { line: row.line, column: cells[columns.credit] ?? '' })
    return credit > 0n ? credit : null
  }
  const amount = readCell(row, context, columns.amount) ?? 0n
  if (amount === 0n) return null
  const isReceived = columns.direction === undefined || readDirection(row, context.head, columns.direction)
  return isReceived && amount > 0n ? amount : null
}

/** Throws BAD_CURRENCY also if the row has different currencies, because the amount may be in any of them. */
function readRowCurrency({ cells, line }: CsvRow, { head, currency }: CsvContext): Currency | 'unsupported' {
  const [index] = head.currencyColumns
  const values = head.currencyColumns.map((column) => (cells[column] ?? '').trim()).filter((cell) => cell !== '')
  const ownCurrencies = new Set(values.map(readCurrency))
  const [ownCurrency = currency] = ownCurrencies
  if (ownCurrency !== null && ownCurrencies.size <= 1) return ownCurrency
  if (index === undefined) throw new StatementError('NO_CURRENCY')
  throw new StatementError('BAD_CURRENCY', { line, column: head.cells[index] ?? '' })
}

function readRowDay({ cells, line }: CsvRow, { head, dateOrder }: CsvContext) {
  const index = head.columns.date ?? 0
  const column = head.cells[index] ?? ''
  if (dateOrder === 'ambiguous') throw new StatementError('AMBIGUOUS_DATE', { column })
  const day = readDate(cells[index] ?? '', dateOrder)
  if (day === null) throw new StatementError('BAD_DATE', { line, column })
  return day
}
