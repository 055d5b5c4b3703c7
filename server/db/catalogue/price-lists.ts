import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { listPriceLists } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { normaliseText } from '#domain/text.ts'
import type { PlainDate } from '#domain/time.ts'
import {
  readCatalogueChangeNumber,
  readCatalogueChanges,
  takeCatalogueChangeNumber,
  type VisibleClientTypes,
} from '#server/db/catalogue/catalogue.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import { createDuplicateProblem } from '#server/db/catalogue/modules.ts'
import type { PriceListTable } from '#server/db/tables/order-tables.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'

export type PriceListRecord = Selectable<PriceListTable>

/**
 * Returns whether the list is withdrawn: it was confirmed, and is no longer used for new sales. Users who could read it still can (D81).
 */
export const isWithdrawn = ({ deleted, confirmed }: Pick<PriceListRecord, 'deleted' | 'confirmed'>): boolean =>
  deleted && confirmed

/** Returns whether devices must remove the list: it was deleted and never confirmed, so nothing was sold with it. */
const isDeleted = ({ deleted, confirmed }: PriceListRecord) => deleted && !confirmed
const isVisible = sql<boolean>`(not price_list.deleted or price_list.confirmed)`

const selectVisiblePriceLists = (db: DatabaseHandle, type: VisibleClientTypes) =>
  db
    .selectFrom('price_list')
    .selectAll()
    .$if(type !== null, (rows) => rows.where('type', '=', type as ClientType))

const priceListColumns = {
  id: sql.ref('price_list.id'),
  effective_date: sql.ref('price_list.effective_date'),
  desc: { value: sql.ref('price_list.description'), folded: sql.ref('price_list.description_key') },
  type: sql.ref('price_list.type'),
  confirmed: sql.ref('price_list.confirmed'),
  withdrawn: sql.ref('price_list.deleted'),
  update_time: sql`price_list.update_time / 1000`,
}

export const priceListReads: ListReads<VisibleClientTypes, PriceListRecord> = {
  readLatestChange: readCatalogueChangeNumber,
  readPage: (db, type, query) =>
    readListPage(selectVisiblePriceLists(db, type).where(isVisible), listPriceLists, priceListColumns, query),
  readChanges: (db, type, since) => readCatalogueChanges(db, selectVisiblePriceLists(db, type), since, isDeleted),
  readRowsAfter: (db, type, id, limit) =>
    selectVisiblePriceLists(db, type).where(isVisible).where('id', '>', id).orderBy('id').limit(limit).execute(),
}

/** Returns the confirmed list of that type with the latest effective date until today (D16). */
export const findPriceListInForce = (db: DatabaseHandle, type: ClientType, today: PlainDate) =>
  findRow(
    selectVisiblePriceLists(db, type)
      .where('deleted', '=', false)
      .where('confirmed', '=', true)
      .where('effective_date', '<=', today)
      .orderBy('effective_date', 'desc')
      .limit(1),
  )

/** Returns confirmed lists that are not withdrawn: the one in force and later ones. */
export const listPriceListsFrom = async (
  db: DatabaseHandle,
  type: ClientType,
  today: PlainDate,
): Promise<PriceListRecord[]> => {
  const currentList = await findPriceListInForce(db, type, today)
  return selectVisiblePriceLists(db, type)
    .where('deleted', '=', false)
    .where('confirmed', '=', true)
    .where('effective_date', '>=', currentList?.effective_date ?? today)
    .orderBy('effective_date')
    .execute()
}

/** Also finds a withdrawn list, because orders may refer to it. */
export const findPriceListById = (db: DatabaseHandle, id: number) =>
  findRow(selectVisiblePriceLists(db, null).where('id', '=', id).where(isVisible))

export const lockPriceList = (db: DatabaseHandle, id: number) =>
  findRow(selectVisiblePriceLists(db, null).where('id', '=', id).where(isVisible).forUpdate())

/** Returns the effective dates of lists with a price for this module. Deleted and withdrawn lists are left out. */
export async function listDatesWithModule(db: DatabaseHandle, type: ClientType, code: string): Promise<PlainDate[]> {
  const rows = await selectVisiblePriceLists(db, type)
    .where('deleted', '=', false)
    .where(sql<boolean>`content -> 'module' @> ${JSON.stringify([{ code }])}::jsonb`)
    .orderBy('effective_date')
    .execute()
  return rows.map(({ effective_date }) => effective_date)
}

export type NewPriceList = Omit<Insertable<PriceListTable>, 'description_key' | 'change'>

/** Throws VALIDATION_ERROR if a list of that type already begins on that day. */
export async function insertPriceList(db: DatabaseHandle, list: NewPriceList): Promise<PriceListRecord> {
  return await db
    .insertInto('price_list')
    .values({ ...list, description_key: normaliseText(list.description), change: await takeCatalogueChangeNumber(db) })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(throwIfDateOccupied(list.effective_date))
}

export type PriceListChange = Omit<Updateable<PriceListTable>, 'description_key' | 'change' | 'row_version'>

export async function updatePriceList(
  db: DatabaseHandle,
  id: number,
  fields: PriceListChange,
): Promise<PriceListRecord> {
  return await db
    .updateTable('price_list')
    .set({
      ...fields,
      ...(fields.description === undefined ? {} : { description_key: normaliseText(fields.description) }),
      change: await takeCatalogueChangeNumber(db),
      row_version: sql`row_version + 1`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(throwIfDateOccupied(fields.effective_date ?? ''))
}

const throwIfDateOccupied =
  (date: PlainDate) =>
  (error: unknown): never => {
    throw getSqlState(error) === '23505'
      ? createValidationProblem([createDuplicateProblem('effective_date', date)])
      : error
  }
