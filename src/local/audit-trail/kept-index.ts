/** The index of what is kept of one company's trail: that of long lists, whose rows go by their place in the log. */
import { keptTrail } from '#contract/audit-trail.ts'
import type { ListSpec, Row } from '#contract/endpoint.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { dropIndex } from '#local/storage/index-records.ts'
import { addToIndex, resetIndex } from '#local/list-index/list-index.ts'
import { fillId } from '#local/storage/list-ids.ts'
import { foldsOf } from '#local/list-query/query.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

const { searchText: _byTexts, ...byColumns } = keptTrail.filters

/** As the server knows it, but for free text (`kept-search.ts`), and that the id of an entry is not its place. */
export const keptIndex: ListSpec = {
  ...keptTrail,
  filters: { ...byColumns, entry: { kind: 'equal', column: 'entry_id' } },
}

export const listId = (companyId: number): string => fillId(keptIndex.table, companyId)

/** An empty one. Inside a transaction over the tables of lists. */
export const beginIndex = (db: UserDatabase, companyId: number): Promise<void> => resetIndex(db, keptIndex, companyId)

/** Inside a transaction over the tables of lists. */
export async function addEntries(
  db: UserDatabase,
  companyId: number,
  rows: readonly AuditEntryRow[],
  asOf: number,
): Promise<void> {
  const index = await db.indexes.get(listId(companyId))
  if (index && rows.length > 0) {
    const come = rows.map((row) => indexed(row, asOf))
    await addToIndex(db, keptIndex, index.name, come)
  }
}

function indexed(entry: AuditEntryRow, asOf: number): StoredRow {
  const id = entry.log_index ?? 0
  const row = { ...entry, id, entry_id: entry.id } as unknown as Row
  return { id, scope: entry.company_id, version: 1, asOf, row, folds: foldsOf(keptIndex, row) }
}

/** Inside a transaction over the tables of lists. */
export async function endIndex(db: UserDatabase, companyId: number): Promise<void> {
  const id = listId(companyId)
  const old = await db.indexes.get(id)
  if (old) await dropIndex(db, old.name)
  for (const table of ['indexes', 'listStats', 'syncPoints'] as const) await db.table(table).delete(id)
}
