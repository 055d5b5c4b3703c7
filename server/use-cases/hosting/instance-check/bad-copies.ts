/** Inconsistent variants of an instance's data, which every image must refuse. */
import type { DataColumn } from '#server/drivers/hosting/hosting-driver.ts'
import { readCopyLines } from '#server/use-cases/hosting/instance-check/checked-data.ts'

interface BadCopy {
  problem: string
  lines: () => AsyncGenerator<string>
}

/** Returns the variants that the data allows. `path` is a copy of valid data. */
export async function listBadCopies(path: string): Promise<BadCopy[]> {
  const { firstTable, keyedRow } = await findExamples(path)
  const read = () => readCopyLines(path)
  const badCopies: BadCopy[] = [
    {
      problem: 'no last line',
      lines: () => filterLines(read(), (line) => (isEnd(line) ? [] : [line])),
    },
    { problem: 'not JSON', lines: () => filterLines(read(), (line) => (isEnd(line) ? ['<html>', line] : [line])) },
  ]
  if (firstTable !== null) {
    const { columns } = JSON.parse(firstTable) as { columns: DataColumn[] }
    const longRow = JSON.stringify(Array<null>(columns.length + 1).fill(null))
    badCopies.push(
      { problem: 'a row with too many values', lines: () => insertAfter(read(), firstTable, longRow) },
      { problem: 'a table that is there twice', lines: () => insertAfter(read(), firstTable, firstTable) },
    )
  }
  if (keyedRow !== null)
    badCopies.push({
      problem: 'a row that is there twice',
      lines: () => insertAfter(read(), keyedRow.line, keyedRow.line, keyedRow.table),
    })
  return badCopies
}

/** A body that contains only the last line is valid data. */
const isEnd = (line: string) => line.startsWith('{"end"')
const isTable = (line: string) => line.startsWith('{"table"')

interface CopyExamples {
  firstTable: string | null
  /** The first row of a table with a primary key. */
  keyedRow: { table: string; line: string } | null
}

async function findExamples(path: string): Promise<CopyExamples> {
  let firstTable: string | null = null
  let table = ''
  let hasKey = false
  for await (const line of readCopyLines(path)) {
    if (isTable(line)) {
      firstTable ??= line
      table = line
      hasKey = (JSON.parse(line) as { columns: DataColumn[] }).columns.some(({ key }) => key > 0)
    } else if (hasKey && line.startsWith('[')) return { firstTable, keyedRow: { table, line } }
  }
  return { firstTable, keyedRow: null }
}

async function* filterLines(
  lines: AsyncIterable<string>,
  convert: (line: string) => readonly string[],
): AsyncGenerator<string> {
  for await (const line of lines) yield* convert(line)
}

/** Inserts a line after the first occurrence of another one, in the given table. */
function insertAfter(
  lines: AsyncIterable<string>,
  line: string,
  insertedLine: string,
  table: string | null = null,
): AsyncGenerator<string> {
  let isInTable = table === null
  let isInserted = false
  return filterLines(lines, (currentLine) => {
    if (isTable(currentLine) && table !== null) isInTable = currentLine === table
    if (isInserted || !isInTable || currentLine !== line) return [currentLine]
    isInserted = true
    return [currentLine, insertedLine]
  })
}
