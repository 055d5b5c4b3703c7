/**
 * Questions past Dexie, whose own steps take as long again as the browser's: for what every list and every write waits for
 * (0022, 0027). A live query hears of what it read here as of anything else.
 */
import { Dexie, type IndexableType, type ObservabilitySet, RangeSet, type Table } from 'dexie'
import { insist } from '#local/database.ts'

/** A table by what is needed of it here; Dexie's own type says what may be left out of a row that is added, too. */
export type Rows = Pick<Table, 'name' | 'schema'> & { bulkGet(keys: never[]): PromiseLike<unknown[]> }
export type RowOf<R extends Rows> = NonNullable<Awaited<ReturnType<R['bulkGet']>>[number]>
export type Span = readonly [first: IDBValidKey, last: IDBValidKey]

/** Answers come in the order of the questions, so those asked in one breath are one turn to the browser and back. */
export interface Asking {
  /** One row a key, in their order; undefined where there is none. */
  rowsUnder<R extends Rows>(table: R, keys: readonly IDBValidKey[]): Promise<(RowOf<R> | undefined)[]>
  /** Rows from one key to another, both included; of an index where one is named. */
  rowsBetween<R extends Rows>(table: R, span: Span, index?: string): Promise<RowOf<R>[]>
  everyRow<R extends Rows>(table: R): Promise<RowOf<R>[]>
}

/** Writes down where in a table something was read or stored; `index`: empty for the rows' own keys, `:dels` where they went. */
export type Note = (table: Rows, index: string, first: unknown, last?: unknown) => void

export const noteIn =
  (db: Dexie, parts: ObservabilitySet): Note =>
  ({ name }, index, first, last = first) => {
    const part = `idb://${db.name}/${name}/${index}`
    const known = (parts[part] as RangeSet | undefined) ?? new RangeSet()
    parts[part] = known.add({ from: first as IndexableType, to: last as IndexableType })
  }

/** What of it a live query has read, where one is running. */
const readBy = (): ObservabilitySet | undefined =>
  (Dexie.Promise as unknown as { PSD: { subscr?: ObservabilitySet } }).PSD.subscr

/**
 * Reads of one moment. What was read is answered at once: to hear that a transaction that wrote nothing has ended takes one
 * more turn to the database's process and back.
 */
export function readTogether<T>(db: Dexie, tables: readonly string[], act: (ask: Asking) => Promise<T>): Promise<T> {
  const seen = readBy()
  const read = async () => {
    await db.open()
    return await act(askingIn(db.backendDB().transaction(tables, 'readonly'), seen && noteIn(db, seen)))
  }
  // Dexie's own promise, or a live query loses sight of what is read after it; what happens meanwhile is none of its business.
  return new Dexie.Promise((resolve, reject) => queueMicrotask(() => void insist(db, read).then(resolve, reject)))
}

export const keyOf = ({ schema }: Rows, row: unknown): unknown =>
  Dexie.getByKeyPath(row as object, schema.primKey.keyPath as string)

/** `note`: hears where something is read. */
export function askingIn(transaction: IDBTransaction, note?: Note): Asking {
  const storeOf = ({ name }: Rows) => transaction.objectStore(name)
  return {
    rowsUnder(table, keys) {
      for (const key of keys) note?.(table, '', key)
      return Promise.all(keys.map((key) => answerTo(storeOf(table).get(key))))
    },
    async rowsBetween(table, span, index) {
      note?.(table, index ?? '', ...span)
      const store = storeOf(table)
      const rows = await answerTo((index === undefined ? store : store.index(index)).getAll(IDBKeyRange.bound(...span)))
      if (note && index !== undefined) for (const row of rows) note(table, '', keyOf(table, row))
      return rows
    },
    everyRow(table) {
      note?.(table, '', Dexie.minKey, Dexie.maxKey)
      return answerTo(storeOf(table).getAll())
    },
  }
}

export const answerTo = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** Inside of a transaction that Dexie began, and no live query. */
export const asked = (): Asking => askingIn(Dexie.currentTransaction.idbtrans)
