/** The index of what is kept of one company's trail: that of long lists, whose rows go by their place in the log. */
import { keptTrail } from '#contract/audit-trail.ts'
import type { ListSpec, Row } from '#contract/endpoint.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { dropIndex, layoutOf, moveRows } from '#local/list-index/buckets.ts'
import { nameAfter } from '#local/list-index/list-index.ts'
import { fillId } from '#local/lists/coverage.ts'
import { foldsOf } from '#local/lists/query.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

const { searchText: _byTexts, ...byColumns } = keptTrail.filters

/** As the server knows it, but for free text (`kept-search.ts`), and that the id of an entry is not its place. */
export const keptIndex: ListSpec = {
  ...keptTrail,
  filters: { ...byColumns, entry: { kind: 'equal', column: 'entry_id' } },
}
const layout = layoutOf(keptIndex)

export const listId = (companyId: number): string => fillId(keptIndex.table, companyId)

/** An empty one. Inside a transaction over the tables of lists. */
export async function beginIndex(db: UserDatabase, companyId: number): Promise<void> {
  const id = listId(companyId)
  const old = await db.indexes.get(id)
  if (old) await dropIndex(db, old.name)
  await db.indexes.put({ id, table: keptIndex.table, name: nameAfter(id, old?.name), next: null })
}

/** Inside a transaction over the tables of lists. */
export async function addToIndex(
  db: UserDatabase,
  companyId: number,
  rows: readonly AuditEntryRow[],
  asOf: number,
): Promise<void> {
  const index = await db.indexes.get(listId(companyId))
  if (index && rows.length > 0)
    await moveRows(db, index.name, layout, { gone: [], come: rows.map((row) => indexed(row, asOf)) })
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
