/**
 * What the sandbox knows, as lines of a file: each line is one change, whole or not there. Written before it is
 * answered, so a process that is killed at any point has taken exactly the money that the file says.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Row {
  id: string
}

/** `T`: the row of each table. Rows stay in the order in which they came. */
export interface Journal<T> {
  get<N extends keyof T & string>(table: N, id: string): T[N] | null
  all<N extends keyof T & string>(table: N): T[N][]
  /** All of them or none. */
  put(changes: { [N in keyof T]?: T[N][] }): void
  close(): void
}

type Line = Record<string, Row[]>

export function openJournal<T extends { [N in keyof T]: Row }>(path: string): Journal<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const tables = new Map<string, Map<string, Row>>()
  const tableOf = (name: string) => tables.get(name) ?? tables.set(name, new Map()).get(name) ?? new Map<string, Row>()
  const apply = (line: Line) => {
    for (const [name, rows] of Object.entries(line)) for (const row of rows) tableOf(name).set(row.id, row)
  }
  for (const line of linesOf(path)) apply(line)
  // Begun anew with what is still true, which also leaves out a line that was cut off.
  const whole = [...tables].map(([name, rows]) => JSON.stringify({ [name]: [...rows.values()] }))
  writeFileSync(`${path}.part`, whole.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  renameSync(`${path}.part`, path)
  const file = openSync(path, 'a', 0o600)

  return {
    // What is in a table was put there under its type.
    get: (table, id) => (tables.get(table)?.get(id) as T[typeof table] | undefined) ?? null,
    all: (table) => [...(tables.get(table)?.values() ?? [])] as T[typeof table][],
    put(changes) {
      const line = changes as Line
      writeSync(file, `${JSON.stringify(line)}\n`)
      apply(line)
    },
    close: () => closeSync(file),
  }
}

function linesOf(path: string): Line[] {
  const text = read(path)
  // The last piece has no end: it was being written when the process died, and nobody was told of it.
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Line)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
