/**
 * Brings a whole list of many rows here, piece by piece, and shows it when it is whole: until then the screens read the
 * index as it was, and a fill that fails leaves that one in place. Rows that were here before are brought up to date as
 * they come, each by itself; only what is new, and what is gone, waits for the end.
 */
import type { ListSpec } from '#contract/endpoint.ts'
import { besideRows, rowsOf, type UserDatabase } from '#local/storage/database.ts'
import { addToIndex, beginNextIndex, findMissingIds, showNextIndex } from '#local/list-index/list-index.ts'
import type { ListIndex, StoredRow } from '#local/storage/cache-records.ts'
import { fillId } from '#local/storage/list-ids.ts'
import { mayStore } from '#local/session/session-generation.ts'
import {
  forgetGraves,
  isLeftOut,
  type LeftOutRows,
  putRows,
  type ServerRow,
  removeRows,
  wentSince,
} from '#local/lists/row-store.ts'
import { transact } from '#local/storage/transaction.ts'

/** Stored at once: long enough to be quick, short enough that a screen that asks meanwhile does not wait for long. */
const pieceRows = 5_000

export interface WholeAnswer {
  pieces: Iterable<ServerRow[]> | AsyncIterable<ServerRow[]>
  upto: number
  asOf: number
  leftOut?: LeftOutRows
}

export function* inPieces(rows: readonly ServerRow[]): Generator<ServerRow[]> {
  for (let at = 0; at < rows.length; at += pieceRows) yield rows.slice(at, at + pieceRows)
}

/** False, with the list as it was, when the session has moved on or something newer came meanwhile (protocol 34). */
export async function storeWhole(
  db: UserDatabase,
  list: ListSpec,
  scope: number | null,
  answer: WholeAnswer,
  generation: number,
): Promise<boolean> {
  const id = fillId(list.table, scope)
  const within = (act: (index: ListIndex) => Promise<void>, next: string | null) =>
    transact(db, [list.table, ...besideRows, 'meta'], async () => {
      const index = next === null ? await begun(db, list, scope, answer.upto) : await db.indexes.get(id)
      // Another fill took over, or what is kept was cleared away.
      if (!index || (next !== null && index.next !== next) || !(await mayStore(db, generation))) return null
      await act(index)
      return index.next
    })
  const next = await within(async () => {}, null)
  if (next === null) return false
  for await (const rows of answer.pieces) {
    const done = await within(async () => {
      const kept = await putRows(db, list.table, rows, { asOf: answer.asOf, hidden: true })
      if (kept.length > 0) await addToIndex(db, list, next, kept)
    }, next)
    if (done === null) return false
  }
  const done = await within((index) => show(db, list, { index, next, answer }), next)
  return done !== null
}

/** The index of the list with an empty one beside it, that becomes it in the end. */
async function begun(db: UserDatabase, list: ListSpec, scope: number | null, upto: number): Promise<ListIndex | null> {
  const fill = await db.syncPoints.get(fillId(list.table, scope))
  return fill && fill.upto > upto ? null : await beginNextIndex(db, list, scope)
}

async function show(
  db: UserDatabase,
  list: ListSpec,
  { index, next, answer }: { index: ListIndex; next: string; answer: WholeAnswer },
): Promise<void> {
  const { asOf, upto } = answer
  const missing = await findMissing(db, list, index.name, next)
  // What came after the answer was made, or was left out of it: it says nothing about them.
  const isUntold = (row: StoredRow) => row.asOf >= asOf || isLeftOut(answer, row.id)
  const gone = missing.filter((row) => !isUntold(row))
  const newer = missing.filter(isUntold)
  if (newer.length > 0) await addToIndex(db, list, next, newer)
  const gaps = (await wentSince(db, list.table, asOf)) || answer.leftOut !== undefined
  await removeRows(db, list.table, gone, asOf)
  await forgetGraves(db, asOf)
  await db.syncPoints.put({ id: index.id, upto, asOf, gaps })
  await showNextIndex(db, index, next)
}

/** Rows that the old index has and the new one lacks. */
const findMissing = async (db: UserDatabase, list: ListSpec, old: string, next: string): Promise<StoredRow[]> =>
  (await rowsOf(db, list.table).bulkGet(await findMissingIds(db, old, next))).filter((row) => row !== undefined)
