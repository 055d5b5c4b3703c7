/**
 * Statements that travel together: one message to the database, one back. Of PostgreSQL's extended protocol, with a single
 * Sync at the end, so that both sides write to the line once for all of them instead of once for each. After one that fails
 * the database skips the others up to the Sync: they fail with the same error.
 *
 * The driver has no word for this, so it is handed over as one query of its own kind. Each statement is prepared once per
 * connection, and its columns are described then and not again.
 */
import { type Connection, Query } from 'pg'
import type { Writable } from 'node:stream'

export interface Said {
  command: string
  rows: Record<string, unknown>[]
  rowCount: number | null
}

export interface Statement {
  text: string
  /** Under which it is prepared; empty: for this once. */
  name: string
  values: readonly unknown[]
  /** Filled while the answer comes in. */
  said: Said
  /** Null: nobody waits for it. */
  heard: { resolve: (said: Said) => void; reject: (error: unknown) => void } | null
}

interface Column {
  name: string
  read: (text: string) => unknown
}
/** By the statement's name, of one connection. */
export type Columns = Map<string, Column[]>

/** The driver's connection, as far as its types do not tell. */
export interface Wire {
  stream: Writable
  /** Texts by the names under which the database has prepared them, or is about to. */
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(statement: { name: string; text: string }): void
  describe(what: { type: 'S'; name: string }): void
  bind(what: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void
  execute(what: object): void
  sync(): void
}

interface Terms {
  columns: Columns
  readerOf: (oid: number) => (text: string) => unknown
  /** Hears of a failure that none of the statements' askers hears of. */
  unheard: (error: unknown) => void
  failed: (statement: Statement, error: unknown) => void
}

export class Flight extends Query {
  readonly #statements: Statement[] = []
  readonly #terms: Terms
  #at = 0
  #isFailed = false
  // Of the statement that is being answered: the driver notes by them what has been prepared.
  declare name: string
  declare text: string

  constructor(terms: Terms) {
    super('')
    this.#terms = terms
  }

  add(statement: Statement): void {
    this.#statements.push(statement)
  }

  override submit = (connection: Connection): null => {
    const wire = connection as unknown as Wire
    wire.stream.cork()
    for (const { name, text, values } of this.#statements) {
      if (!isPrepared(wire, name)) {
        wire.parse({ name, text })
        wire.describe({ type: 'S', name })
        if (name !== '') wire.submittedNamedStatements[name] = text
      }
      wire.bind({ statement: name, values, valueMapper: asText })
      wire.execute({})
    }
    wire.sync()
    wire.stream.uncork()
    this.#turnTo(0)
    return null
  }

  #turnTo(at: number): void {
    this.#at = at
    this.name = this.#statements[at]?.name ?? ''
    this.text = this.#statements[at]?.text ?? ''
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const { columns, readerOf } = this.#terms
    columns.set(
      this.name,
      fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) })),
    )
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {}
    const columns = this.#terms.columns.get(this.name) ?? []
    for (const [at, { name, read }] of columns.entries()) {
      const text = fields[at]
      row[name] = text === null || text === undefined ? null : read(text)
    }
    this.#statements[this.#at]?.said.rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const said = this.#statements[this.#at]?.said
    const [command = '', ...words] = text.split(' ')
    // UPDATE 3, INSERT 0 1, COMMIT
    const count = Number(words.at(-1))
    if (said) Object.assign(said, { command, rowCount: Number.isNaN(count) ? null : count })
    this.#turnTo(this.#at + 1)
  }

  handleEmptyQuery(): void {
    this.#turnTo(this.#at + 1)
  }

  /** Also when the line is lost; then nothing comes after it. */
  handleError(error: unknown, connection: Connection): void {
    if (this.#isFailed) return
    this.#isFailed = true
    const wire = connection as unknown as Wire
    const [failed, ...skipped] = this.#statements.slice(this.#at)
    // What was to be prepared behind the failure was not.
    for (const { name } of skipped) delete wire.submittedNamedStatements[name]
    if (failed) this.#terms.failed(failed, error)
    const heard = this.#statements.filter((statement) => statement.heard)
    // Not even those before it: what they did is lost with the rest where there is no transaction around them.
    for (const statement of heard) statement.heard?.reject(error)
    if (heard.length === 0) this.#terms.unheard(error)
  }

  /** The Sync's answer: only now a statement without a transaction around it is committed. */
  handleReadyForQuery(): void {
    for (const { heard, said } of this.#statements) heard?.resolve(said)
  }
}

const isPrepared = (wire: Wire, name: string): boolean =>
  name !== '' && (wire.parsedStatements[name] !== undefined || wire.submittedNamedStatements[name] !== undefined)

type Plain = string | number | bigint | boolean | Buffer | null | undefined

/** Values that travel here; the driver knows more, and is left those. */
export const isPlain = (value: unknown): value is Plain =>
  value === null || value === undefined || typeof value !== 'object' || Buffer.isBuffer(value)

const asText = (value: unknown): string | Buffer | null =>
  value === null || value === undefined ? null : Buffer.isBuffer(value) ? value : String(value)
