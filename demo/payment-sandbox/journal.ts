/** Stores tables in a file. Each line is one atomic change, written before its response is sent, so a crash loses no confirmed payment. */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface JournalRow {
  id: string
}

/** `Tables` maps each table name to its row type. Rows keep their insertion order. */
export interface SandboxJournal<Tables> {
  get<Table extends keyof Tables & string>(table: Table, id: string): Tables[Table] | null
  list<Table extends keyof Tables & string>(table: Table): Tables[Table][]
  /** Writes all rows or none. */
  put(changes: { [Table in keyof Tables]?: Tables[Table][] }): void
  close(): void
}

type JournalLine = Record<string, JournalRow[]>

export function openJournal<T extends { [Table in keyof T]: JournalRow }>(path: string): SandboxJournal<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const tables = new Map<string, Map<string, JournalRow>>()
  const getTable = (name: string) =>
    tables.get(name) ?? tables.set(name, new Map()).get(name) ?? new Map<string, JournalRow>()
  const applyLine = (line: JournalLine) => {
    for (const [name, rows] of Object.entries(line)) for (const row of rows) getTable(name).set(row.id, row)
  }
  for (const line of readLines(path)) applyLine(line)
  // Rewrites the file with the current rows. This also drops an incomplete last line after a crash.
  const compactedLines = [...tables].map(([name, rows]) => JSON.stringify({ [name]: [...rows.values()] }))
  writeFileSync(`${path}.part`, compactedLines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  renameSync(`${path}.part`, path)
  const file = openSync(path, 'a', 0o600)

  return {
    // The casts are safe: rows of a table are stored under its type.
    get: (table, id) => (tables.get(table)?.get(id) as T[typeof table] | undefined) ?? null,
    list: (table) => [...(tables.get(table)?.values() ?? [])] as T[typeof table][],
    put(changes) {
      const line = changes as JournalLine
      writeFileSync(file, `${JSON.stringify(line)}\n`)
      applyLine(line)
    },
    close: () => closeSync(file),
  }
}

function readLines(path: string): JournalLine[] {
  const text = readFileOrEmpty(path)
  // The text after the last line break is dropped. The process ended while writing it, before it could send a response.
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as JournalLine)
}

function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
