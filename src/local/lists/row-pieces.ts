/** Reads the rows of a list for the search: piece by piece, and again after each change, without reading the list as a whole. */
import type { ListSpec, RowRef, VersionedRow } from '#contract/endpoint.ts'
import { getRows, getRowTable } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { findRowId } from '#local/storage/row-ids.ts'
import { isInScope, readCachedListState, readWaitingWrites } from '#local/lists/overlaid-rows.ts'
import { applyOverlay } from '#local/lists/overlay.ts'
import { readActiveSession, type Session } from '#local/session/session.ts'
import { readInTransaction } from '#local/storage/transaction.ts'

/** A list whose rows are read. `scope` is the value of its scope column; null reads the rows of all scopes. */
export interface ListScope {
  list: ListSpec
  scope: number | null
}

/** The current state of a row: with the waiting writes, or null if it does not exist or is not in the scope. */
export interface RowState {
  ref: RowRef
  row: VersionedRow | null
  isWaiting: boolean
}

/** What the device knows of the size of a list. */
export interface ListExtent {
  /** The server's last count. Null if the server never counted the list. */
  total: number | null
  isComplete: boolean
}

/** Reads the stored rows of a list in the order of their ids, without waiting writes. Ends early if the session ends. */
export async function* readRowPieces(
  { list, scope }: ListScope,
  rowsPerPiece: number,
  device: Device = getThisDevice(),
): AsyncGenerator<VersionedRow[]> {
  const session = await readActiveSession(device)
  let lastId = Number.NEGATIVE_INFINITY
  while (session && (await isSameSession(device, session))) {
    const rows = getRowTable(device.getDatabase(session), list.table).where('id').above(lastId)
    const storedRows = await rows.limit(rowsPerPiece).toArray()
    yield storedRows.map(({ row }) => row).filter((row) => isInScope(list, row, scope))
    if (storedRows.length < rowsPerPiece) return
    lastId = storedRows.at(-1)?.id ?? lastId
  }
}

const isSameSession = async (device: Device, { generation }: Session) =>
  (await readActiveSession(device))?.generation === generation

/**
 * Returns the current state of rows, and of all rows with waiting writes. A row that was created on this device and has its id by now is
 * returned under both.
 */
export async function readRowStates(
  { list, scope }: ListScope,
  refs: Iterable<RowRef>,
  device: Device = getThisDevice(),
): Promise<RowState[]> {
  const session = await readActiveSession(device)
  if (!session) return []
  const db = device.getDatabase(session)
  return await readInTransaction(db, ['outbox', 'rowIds', list.table], async () => {
    const { entries, rowIds } = await readWaitingWrites(db, list.table)
    const waitingRefs = new Set<RowRef>()
    for (const { target, intent } of entries) {
      const ref = target ?? (`~${intent}` as const)
      waitingRefs.add((await findRowId(db, ref)) ?? ref)
    }
    const allRefs = new Set<RowRef>([...refs, ...waitingRefs])
    const storedRows = await getRows(
      db,
      list.table,
      [...allRefs].filter((ref) => typeof ref === 'number'),
    )
    const overlaidRows = applyOverlay(
      storedRows.map(({ row }) => row),
      entries,
      rowIds,
      session.companyId,
    )
    return [...allRefs].map((ref): RowState => {
      const { row, waiting } = overlaidRows.get(ref) ?? { row: null, waiting: null }
      const isDeletedByWrite = row === null && waitingRefs.has(ref)
      return {
        ref,
        row: row && isInScope(list, row, scope) ? row : null,
        isWaiting: waiting !== null || isDeletedByWrite,
      }
    })
  })
}

/** Returns whether a list without filters is complete on the device, and how many rows it has. */
export async function readListExtent(
  { list, scope }: ListScope,
  device: Device = getThisDevice(),
): Promise<ListExtent> {
  const session = await readActiveSession(device)
  if (!session) return { total: null, isComplete: false }
  const db = device.getDatabase(session)
  return await readInTransaction(db, ['syncPoints', 'coverage', 'pages'], async () => {
    const query = { scope, filters: {}, sort: list.sort, page: 1, results: 1 }
    const { total, complete, widerCoverage } = await readCachedListState(db, list, query)
    return { total: total ?? widerCoverage?.total ?? null, isComplete: complete }
  })
}
