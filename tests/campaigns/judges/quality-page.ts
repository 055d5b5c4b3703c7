/** `docs/quality.md`: a table of the judges with their last results, and the findings that are explained. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '#tests/campaigns/judges/tools.ts'

export interface ExplainedFinding {
  judge: string
  key: string
  reason: string
}

export interface JudgeResult {
  judge: string
  tool: string
  /** `yyyy-MM-dd` */
  date: string
  result: string
}

const path = join(root, 'docs', 'quality.md')
const [resultsStart, resultsEnd] = ['<!-- results of the judges -->', '<!-- end of the results -->']
const explainedTitle = '## Explained findings'

const readCells = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

/** Returns the rows of the tables in this text, without their heads. */
const readRows = (text: string): string[][] =>
  text
    .split(/\n{2,}/)
    .flatMap((block) =>
      block
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .slice(2),
    )
    .map(readCells)

const formatCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const formatRow = (cells: readonly string[]) => `| ${cells.map(formatCell).join(' | ')} |`

/** A key is written in backticks, because it may contain signs of Markdown. */
export function readExplainedFindings(page = readFileSync(path, 'utf8')): ExplainedFinding[] {
  const [, section = ''] = page.split(explainedTitle)
  return readRows(section).map(([judge = '', key = '', reason = '']) => ({
    judge,
    key: key.replace(/^`+ ?| ?`+$/g, ''),
    reason,
  }))
}

/** Replaces the rows of these judges in the table of results. */
export function saveResults(results: readonly JudgeResult[], page = readFileSync(path, 'utf8')): string {
  const [head = '', rest = ''] = page.split(resultsStart)
  const [table = '', tail = ''] = rest.split(resultsEnd)
  const rows = new Map(readRows(table).map((cells) => [cells[0] ?? '', cells]))
  for (const { judge, tool, date, result } of results) rows.set(judge, [judge, tool, date, result])
  const lines = ['| Judge | Tool | Date | Result |', '| --- | --- | --- | --- |', ...[...rows.values()].map(formatRow)]
  return `${head}${resultsStart}\n${lines.join('\n')}\n\n${resultsEnd}${tail}`
}

export const writePage = (page: string): void => writeFileSync(path, page)
