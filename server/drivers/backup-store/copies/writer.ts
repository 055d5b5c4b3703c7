/**
 * Writes a copy: a schema with one table per table of the instance. The original pieces are stored too, so that they can be read back
 * unchanged.
 */
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { toUniqueName, quoteIdentifier } from '#server/drivers/backup-store/copies/names.ts'
import type { CopySession } from '#server/drivers/backup-store/copies/session.ts'
import { columnTypes, formatValue } from '#server/drivers/backup-store/copies/values.ts'
import type { DataColumn, DataPiece, DataValue } from '#server/drivers/hosting/hosting-driver.ts'

export const piecesTable = 'portal_copy'
/** Column with the number of the row in the original order. */
export const rowColumn = 'portal_row'
const systemColumns = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']
const maxCharacters = 4 * 2 ** 20
const spaceCheckInterval = 2 ** 20

interface OpenTable {
  name: string
  columns: readonly DataColumn[]
  names: string[]
  rows: number
  position: number
}

export class CopyWriter {
  readonly #session: CopySession
  readonly #schema: string
  readonly #hasRoom: () => Promise<boolean>
  readonly #tables = new Set([piecesTable])
  #openTable: OpenTable | null = null
  #position = 0
  #characterCount = 0
  #countAtLastCheck = -spaceCheckInterval

  constructor(session: CopySession, schema: string, hasRoom: () => Promise<boolean>) {
    this.#session = session
    this.#schema = quoteIdentifier(schema)
    this.#hasRoom = hasRoom
  }

  async begin(): Promise<void> {
    await this.#session.query(`create schema ${this.#schema}`)
    await this.#session.query(`
      create table ${this.#schema}.${piecesTable} (
        position bigint primary key, piece text not null, table_name text, column_names text, row_count bigint
      )`)
  }

  async add(piece: DataPiece): Promise<void> {
    await this.#checkSpace()
    if (piece.kind === 'rows') return this.#addRows(piece.rows)
    await this.finishTable()
    if (piece.kind === 'table') await this.#addTable(piece)
    else await this.#storePiece(piece, null)
  }

  async #checkSpace(): Promise<void> {
    if (this.#characterCount - this.#countAtLastCheck < spaceCheckInterval) return
    if (!(await this.#hasRoom())) throw new StoreError('no_room', 'The disk of the copies is almost full.')
    this.#countAtLastCheck = this.#characterCount
  }

  async #addTable(piece: DataPiece & { kind: 'table' }): Promise<void> {
    const usedNames = new Set([...systemColumns, rowColumn])
    const names = piece.columns.map(({ name }) => toUniqueName(name, usedNames))
    const name = toUniqueName(piece.name, this.#tables)
    const columns = piece.columns.map(
      ({ type, notNull }, index) =>
        `${quoteIdentifier(names[index] ?? '')} ${columnTypes[type]}${notNull ? ' not null' : ''}`,
    )
    const definitions = [...columns, `${rowColumn} bigint not null`]
    await this.#session.query(`create table ${this.#schema}.${quoteIdentifier(name)} (${definitions.join(', ')})`)
    this.#openTable = { name, names, columns: piece.columns, rows: 0, position: this.#position }
    await this.#storePiece(piece, this.#openTable)
  }

  async #storePiece(piece: DataPiece, table: OpenTable | null): Promise<void> {
    await this.#session.query(
      `insert into ${this.#schema}.${piecesTable} (position, piece, table_name, column_names) values ($1, $2, $3, $4)`,
      [this.#position++, JSON.stringify(piece), table?.name ?? null, table && JSON.stringify(table.names)],
    )
  }

  async #addRows(rows: readonly (readonly DataValue[])[]): Promise<void> {
    const table = this.#openTable
    if (!table) throw new StoreError('damaged', 'The rows come before their table.')
    let batch: (string | null)[][] = []
    let characterCount = 0
    for (const row of rows) {
      if (row.length !== table.columns.length)
        throw new StoreError('damaged', 'A row does not have the columns of its table.')
      const texts = table.columns.map((column, index) => formatValue(row[index] ?? null, column))
      batch.push(texts)
      characterCount += texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
      if (characterCount < maxCharacters) continue
      await this.#insert(table, batch)
      this.#characterCount += characterCount
      batch = []
      characterCount = 0
    }
    await this.#insert(table, batch)
    this.#characterCount += characterCount
  }

  async #insert(table: OpenTable, rows: (string | null)[][]): Promise<void> {
    if (rows.length === 0) return
    const types = table.columns.map(({ type }, index) => `$${index + 2}::${columnTypes[type]}[]`)
    const columns = table.columns.map((_, index) => rows.map((row) => row[index] ?? null))
    const values = types.length > 0 ? `unnest(${types.join(', ')})` : `generate_series(1, ${rows.length})`
    const names = [...table.names.map(quoteIdentifier), rowColumn].join(', ')
    const aliases = table.names.map((_, index) => `c${index}`)
    await this.#session.query(
      `insert into ${this.#schema}.${quoteIdentifier(table.name)} (${names})
        select ${[...aliases, '$1::bigint + place'].join(', ')}
        from ${values} with ordinality as given(${[...(aliases.length > 0 ? aliases : ['number']), 'place'].join(', ')})`,
      [table.rows, ...columns],
    )
    table.rows += rows.length
  }

  /**
   * Completes the table and adds its primary key, for people who read the copy. A table has none if PostgreSQL refuses it (long texts,
   * nulls).
   */
  async finishTable(): Promise<void> {
    const table = this.#openTable
    if (!table) return
    this.#openTable = null
    await this.#session.query(`update ${this.#schema}.${piecesTable} set row_count = $1 where position = $2`, [
      table.rows,
      table.position,
    ])
    const key = table.columns
      .map(({ key: position }, index) => ({ position, name: table.names[index] ?? '' }))
      .filter(({ position }) => position > 0)
      .toSorted((a, b) => a.position - b.position)
      .map(({ name }) => quoteIdentifier(name))
    if (key.length === 0) return
    await this.#session.tryStatement(
      `alter table ${this.#schema}.${quoteIdentifier(table.name)} add primary key (${key.join(', ')})`,
    )
  }

  /** Gives the draft schema its final name and replaces an existing schema. Returns the size of the copy in bytes. */
  async finish(schemaName: string): Promise<number> {
    await this.finishTable()
    await this.#session.query(`drop schema if exists ${quoteIdentifier(schemaName)} cascade`)
    await this.#session.query(`alter schema ${this.#schema} rename to ${quoteIdentifier(schemaName)}`)
    const [row] = await this.#session.query(
      `select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c
        join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r'`,
      [schemaName],
    )
    return Number(row?.[0])
  }
}
