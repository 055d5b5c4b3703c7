/**
 * Statements that travel together: one message to the database, one back. Of PostgreSQL's extended protocol, with a single
 * Sync at the end, so that both sides write to the line once for all of them instead of once for each. After one that fails
 * the database skips the others up to the Sync: they fail with the same error.
 *
 * A transaction that is one flight from its beginning to its COMMIT needs neither: what stands before a Sync is one transaction
 * by itself, done with the Sync or not at all.
 *
 * The driver has no word for this, so it is handed over as one query of its own kind. Each statement is prepared once per
 * connection, and its columns are described then and not again.
 */
import { type Connection, Query } from 'pg'
import { serialize } from 'pg-protocol'
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
}

/** What a connection has learned. */
interface Memory {
  columns: Columns
  readerOf: (oid: number) => (text: string) => unknown
}

interface Terms {
  /** Hears of a failure that none of the statements' askers hears of. */
  unheard: (error: unknown) => void
  failed: (statement: Statement, error: unknown) => void
}

export class Flight extends Query {
  #statements: Statement[] = []
  /** Without the words around a transaction that is all here. */
  #around: Statement[] = []
  readonly #terms: Terms
  #memory: Memory = { columns: new Map(), readerOf: () => String }
  #landed: () => void = () => undefined
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

  /** From its beginning to its COMMIT: it may share a connection, for nothing of its transaction comes later. */
  get isWhole(): boolean {
    return this.isBegun && this.#statements.at(-1)?.text === 'commit'
  }

  get isAwaited(): boolean {
    return this.#statements.some(({ heard }) => heard !== null)
  }

  /** It has the beginning of its transaction. */
  get isBegun(): boolean {
    return /^(begin|start transaction)/i.test(this.#statements[0]?.text ?? '')
  }

  /** On this connection; `landed` when it is answered, or never will be. */
  boundFor(memory: Memory, landed: () => void): this {
    this.#memory = memory
    this.#landed = landed
    return this
  }

  override submit = (connection: Connection): null => {
    const wire = connection as unknown as Wire
    this.#unwrap()
    const bytes: Buffer[] = []
    for (const { name, text, values } of this.#statements) {
      if (!isPrepared(wire, name)) {
        bytes.push(serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
        if (name !== '') wire.submittedNamedStatements[name] = text
      }
      bytes.push(serialize.bind({ statement: name, values: [...values], valueMapper: asText }), serialize.execute({}))
    }
    // In one piece: as many small ones cost the line more than the copy.
    wire.stream.write(Buffer.concat([...bytes, serialize.sync()]))
    this.#turnTo(0)
    return null
  }

  #unwrap(): void {
    if (!this.isWhole) return
    this.#around = [...this.#statements.slice(0, 1), ...this.#statements.slice(-1)]
    this.#statements = this.#statements.slice(1, -1)
  }

  #turnTo(at: number): void {
    this.#at = at
    this.name = this.#statements[at]?.name ?? ''
    this.text = this.#statements[at]?.text ?? ''
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const { columns, readerOf } = this.#memory
    columns.set(
      this.name,
      fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) })),
    )
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {}
    const columns = this.#memory.columns.get(this.name) ?? []
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
  handleError(error: unknown, connection: Connection | null): void {
    if (this.#isFailed) return
    this.#isFailed = true
    this.#landed()
    const wire = connection as Wire | null
    const [failed, ...skipped] = this.#statements.slice(this.#at)
    // What was to be prepared behind the failure was not.
    if (wire) for (const { name } of skipped) delete wire.submittedNamedStatements[name]
    if (failed) this.#terms.failed(failed, error)
    const heard = [...this.#statements, ...this.#around].filter((statement) => statement.heard)
    // Not even those before it: what they did is lost with the rest where there is no transaction around them.
    for (const statement of heard) statement.heard?.reject(error)
    if (heard.length === 0) this.#terms.unheard(error)
  }

  /** The Sync's answer: only now a statement without a transaction around it is committed. */
  handleReadyForQuery(): void {
    if (!this.#isFailed) this.#landed()
    for (const { heard, said } of this.#statements) heard?.resolve(said)
    for (const { heard, said } of this.#around) heard?.resolve(Object.assign(said, { command: 'COMMIT' }))
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
