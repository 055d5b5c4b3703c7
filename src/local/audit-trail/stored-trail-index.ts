/** The index of one company's stored trail. It is an index of long lists in which a row's id is its log index. */
import { storedTrailListSpec } from '#contract/audit-trail.ts'
import type { ListSpec, VersionedRow } from '#contract/endpoint.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { deleteIndexRecords } from '#local/storage/index-records.ts'
import { addToIndex, resetIndex } from '#local/list-index/list-index.ts'
import { toListId } from '#local/storage/list-ids.ts'
import { normaliseTexts } from '#local/list-query/filter-and-order.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

const { searchText: _byTexts, ...byColumns } = storedTrailListSpec.filters

/**
 * List spec of the index. It has the server's filters without free text (`stored-trail-search.ts`). An entry's id is a column and not the
 * row id.
 */
export const storedTrailIndex: ListSpec = {
  ...storedTrailListSpec,
  filters: { ...byColumns, entry: { kind: 'equal', column: 'entry_id' } },
}

export const getTrailListId = (companyId: number): string => toListId(storedTrailIndex.table, companyId)

/** Creates an empty index. Must run inside a transaction over the tables of lists. */
export const createTrailIndex = (db: UserDatabase, companyId: number): Promise<void> =>
  resetIndex(db, storedTrailIndex, companyId)

/** Must run inside a transaction over the tables of lists. */
export async function addIndexEntries(
  db: UserDatabase,
  companyId: number,
  rows: readonly AuditEntryRow[],
  asOf: number,
): Promise<void> {
  const index = await db.indexes.get(getTrailListId(companyId))
  if (index && rows.length > 0) {
    const storedRows = rows.map((row) => toStoredRow(row, asOf))
    await addToIndex(db, storedTrailIndex, index.name, storedRows)
  }
}

function toStoredRow(entry: AuditEntryRow, asOf: number): StoredRow {
  const id = entry.log_index ?? 0
  const row = { ...entry, id, entry_id: entry.id } as unknown as VersionedRow
  return { id, scope: entry.company_id, version: 1, asOf, row, folds: normaliseTexts(storedTrailIndex, row) }
}

/** Must run inside a transaction over the tables of lists. */
export async function deleteTrailIndex(db: UserDatabase, companyId: number): Promise<void> {
  const id = getTrailListId(companyId)
  const oldIndex = await db.indexes.get(id)
  if (oldIndex) await deleteIndexRecords(db, oldIndex.name)
  for (const table of ['indexes', 'listStats', 'syncPoints'] as const) await db.table(table).delete(id)
}
