/** Lays a copy out: its own schema, a table for each table, and what it takes to give back the very pieces. */
import { StoreError } from '#server/drivers/backup-store/driver.ts'
import { nameFor, quoted } from '#server/drivers/backup-store/copies/names.ts'
import type { Session } from '#server/drivers/backup-store/copies/session.ts'
import { columnTypes, toText } from '#server/drivers/backup-store/copies/values.ts'
import type { DataColumn, DataPiece, DataValue } from '#server/drivers/hosting/driver.ts'

/** Holds the pieces beside the rows, in the copy's own schema. */
export const piecesTable = 'portal_copy'
/** Holds the place of each row. */
export const rowColumn = 'portal_row'
const ofPostgres = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']
/** Signs of one statement. */
const maxSigns = 4 * 2 ** 20
const lookEvery = 2 ** 20

interface OpenTable {
  name: string
  columns: readonly DataColumn[]
  /** As they are called here. */
  names: string[]
  rows: number
  position: number
}

export class CopyWriter {
  readonly #session: Session
  readonly #schema: string
  readonly #hasRoom: () => Promise<boolean>
  readonly #tables = new Set([piecesTable])
  #open: OpenTable | null = null
  #position = 0
  #signs = 0
  #looked = -lookEvery

  constructor(session: Session, schema: string, hasRoom: () => Promise<boolean>) {
    this.#session = session
    this.#schema = quoted(schema)
    this.#hasRoom = hasRoom
  }

  async begin(): Promise<void> {
    await this.#session.ask(`create schema ${this.#schema}`)
    await this.#session.ask(`
      create table ${this.#schema}.${piecesTable} (
        position bigint primary key, piece text not null, table_name text, column_names text, row_count bigint
      )`)
  }

  async add(piece: DataPiece): Promise<void> {
    await this.#look()
    if (piece.kind === 'rows') return this.#addRows(piece.rows)
    await this.finishTable()
    if (piece.kind === 'table') await this.#addTable(piece)
    else await this.#keep(piece, null)
  }

  async #look(): Promise<void> {
    if (this.#signs - this.#looked < lookEvery) return
    if (!(await this.#hasRoom())) throw new StoreError('no_room', 'The disk of the copies is almost full.')
    this.#looked = this.#signs
  }

  async #addTable(piece: DataPiece & { kind: 'table' }): Promise<void> {
    const used = new Set([...ofPostgres, rowColumn])
    const names = piece.columns.map(({ name }) => nameFor(name, used))
    const name = nameFor(piece.name, this.#tables)
    const columns = piece.columns.map(
      ({ type, notNull }, at) => `${quoted(names[at] ?? '')} ${columnTypes[type]}${notNull ? ' not null' : ''}`,
    )
    const lines = [...columns, `${rowColumn} bigint not null`]
    await this.#session.ask(`create table ${this.#schema}.${quoted(name)} (${lines.join(', ')})`)
    this.#open = { name, names, columns: piece.columns, rows: 0, position: this.#position }
    await this.#keep(piece, this.#open)
  }

  async #keep(piece: DataPiece, table: OpenTable | null): Promise<void> {
    await this.#session.ask(
      `insert into ${this.#schema}.${piecesTable} (position, piece, table_name, column_names) values ($1, $2, $3, $4)`,
      [this.#position++, JSON.stringify(piece), table?.name ?? null, table && JSON.stringify(table.names)],
    )
  }

  async #addRows(rows: readonly (readonly DataValue[])[]): Promise<void> {
    const table = this.#open
    if (!table) throw new StoreError('damaged', 'Rows stand before their table.')
    let held: (string | null)[][] = []
    let signs = 0
    for (const row of rows) {
      if (row.length !== table.columns.length) throw new StoreError('damaged', 'A row does not fit its table.')
      const texts = table.columns.map((column, at) => toText(row[at] ?? null, column))
      held.push(texts)
      signs += texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
      if (signs < maxSigns) continue
      await this.#insert(table, held)
      this.#signs += signs
      held = []
      signs = 0
    }
    await this.#insert(table, held)
    this.#signs += signs
  }

  async #insert(table: OpenTable, rows: (string | null)[][]): Promise<void> {
    if (rows.length === 0) return
    const types = table.columns.map(({ type }, at) => `$${at + 2}::${columnTypes[type]}[]`)
    const columns = table.columns.map((_, at) => rows.map((row) => row[at] ?? null))
    const values = types.length > 0 ? `unnest(${types.join(', ')})` : `generate_series(1, ${rows.length})`
    const names = [...table.names.map(quoted), rowColumn].join(', ')
    const taken = table.names.map((_, at) => `c${at}`)
    await this.#session.ask(
      `insert into ${this.#schema}.${quoted(table.name)} (${names})
        select ${[...taken, '$1::bigint + place'].join(', ')}
        from ${values} with ordinality as given(${[...(taken.length > 0 ? taken : ['number']), 'place'].join(', ')})`,
      [table.rows, ...columns],
    )
    table.rows += rows.length
  }

  /** The key is for people: what PostgreSQL's keys cannot hold (long texts, gaps) has none. */
  async finishTable(): Promise<void> {
    const table = this.#open
    if (!table) return
    this.#open = null
    await this.#session.ask(`update ${this.#schema}.${piecesTable} set row_count = $1 where position = $2`, [
      table.rows,
      table.position,
    ])
    const key = table.columns
      .map(({ key: place }, at) => ({ place, name: table.names[at] ?? '' }))
      .filter(({ place }) => place > 0)
      .toSorted((one, other) => one.place - other.place)
      .map(({ name }) => quoted(name))
    if (key.length === 0) return
    await this.#session.tried(`alter table ${this.#schema}.${quoted(table.name)} add primary key (${key.join(', ')})`)
  }

  /** Under its own name, in place of another one that has it. Answers the bytes that it takes. */
  async finish(place: string): Promise<number> {
    await this.finishTable()
    await this.#session.ask(`drop schema if exists ${quoted(place)} cascade`)
    await this.#session.ask(`alter schema ${this.#schema} rename to ${quoted(place)}`)
    const [row] = await this.#session.ask(
      `select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c
        join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r'`,
      [place],
    )
    return Number(row?.[0])
  }
}
