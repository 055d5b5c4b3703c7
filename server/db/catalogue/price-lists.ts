/** Price lists as rows. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { listPriceLists } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { foldText } from '#domain/text.ts'
import type { PlainDate } from '#domain/time.ts'
import { catalogueSince, takeCatalogueChange, type VisibleTypes } from '#server/db/catalogue/catalogue.ts'
import type { Handle } from '#server/db/handle.ts'
import { type ListQuery, type Page, readPage } from '#server/db/list-query.ts'
import { occupied } from '#server/db/catalogue/modules.ts'
import type { PriceListTable } from '#server/db/tables/order-tables.ts'
import { sqlState } from '#server/db/sql-state.ts'
import { invalid } from '#server/problems/problem-error.ts'

export type PriceListRecord = Selectable<PriceListTable>

/** Sold by once, and used for nothing new: still read by everybody who read it before (D81). */
export const isWithdrawn = ({ deleted, confirmed }: Pick<PriceListRecord, 'deleted' | 'confirmed'>): boolean =>
  deleted && confirmed

/** A deleted list that was never confirmed is gone: nothing was sold by it. */
const isGone = ({ deleted, confirmed }: PriceListRecord) => deleted && !confirmed
const isThere = sql<boolean>`(not price_list.deleted or price_list.confirmed)`

const seen = (db: Handle, type: VisibleTypes) =>
  db
    .selectFrom('price_list')
    .selectAll()
    .$if(type !== null, (rows) => rows.where('type', '=', type as ClientType))

const columns = {
  id: sql.ref('price_list.id'),
  effective_date: sql.ref('price_list.effective_date'),
  desc: { value: sql.ref('price_list.description'), folded: sql.ref('price_list.description_key') },
  type: sql.ref('price_list.type'),
  confirmed: sql.ref('price_list.confirmed'),
  withdrawn: sql.ref('price_list.deleted'),
  update_time: sql`price_list.update_time / 1000`,
}

export function pageOfPriceLists(db: Handle, type: VisibleTypes, query: ListQuery): Promise<Page<PriceListRecord>> {
  const { list } = listPriceLists
  if (!list) throw new Error('the list of price lists fills no table')
  return readPage(seen(db, type).where(isThere), { list, columns, id: columns.id }, query)
}

export const priceListsSince = (db: Handle, type: VisibleTypes, since: number | null) =>
  catalogueSince(db, seen(db, type), since, isGone)

export const priceListsAfter = (db: Handle, type: VisibleTypes, id: number, most: number): Promise<PriceListRecord[]> =>
  seen(db, type).where(isThere).where('id', '>', id).orderBy('id').limit(most).execute()

/** Confirmed, of that type, the latest that has begun (D16). */
export async function priceListInForce(
  db: Handle,
  type: ClientType,
  today: PlainDate,
): Promise<PriceListRecord | null> {
  const row = await seen(db, type)
    .where('deleted', '=', false)
    .where('confirmed', '=', true)
    .where('effective_date', '<=', today)
    .orderBy('effective_date', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Confirmed and not withdrawn: the one in force and those that begin later. */
export const priceListsFrom = async (db: Handle, type: ClientType, today: PlainDate): Promise<PriceListRecord[]> => {
  const present = await priceListInForce(db, type, today)
  return seen(db, type)
    .where('deleted', '=', false)
    .where('confirmed', '=', true)
    .where('effective_date', '>=', present?.effective_date ?? today)
    .orderBy('effective_date')
    .execute()
}

/** A withdrawn one too, for orders that name it. */
export async function priceListById(db: Handle, id: number): Promise<PriceListRecord | null> {
  return (await seen(db, null).where('id', '=', id).where(isThere).executeTakeFirst()) ?? null
}

export async function priceListForUpdate(db: Handle, id: number): Promise<PriceListRecord | null> {
  const row = await seen(db, null).where('id', '=', id).where(isThere).forUpdate().executeTakeFirst()
  return row ?? null
}

/** Effective dates of lists that price this module, withdrawn ones left out. */
export async function listsWithModule(db: Handle, type: ClientType, code: string): Promise<PlainDate[]> {
  const rows = await seen(db, type)
    .where('deleted', '=', false)
    .where(sql<boolean>`content -> 'module' @> ${JSON.stringify([{ code }])}::jsonb`)
    .orderBy('effective_date')
    .execute()
  return rows.map(({ effective_date }) => effective_date)
}

export type NewPriceList = Omit<Insertable<PriceListTable>, 'description_key' | 'change'>

/** Throws VALIDATION_ERROR where a list of that type begins on that day. */
export async function insertPriceList(db: Handle, list: NewPriceList): Promise<PriceListRecord> {
  return await db
    .insertInto('price_list')
    .values({ ...list, description_key: foldText(list.description), change: await takeCatalogueChange(db) })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(asOccupied(list.effective_date))
}

export type PriceListChange = Omit<Updateable<PriceListTable>, 'description_key' | 'change' | 'row_version'>

export async function updatePriceList(db: Handle, id: number, fields: PriceListChange): Promise<PriceListRecord> {
  return await db
    .updateTable('price_list')
    .set({
      ...fields,
      ...(fields.description === undefined ? {} : { description_key: foldText(fields.description) }),
      change: await takeCatalogueChange(db),
      row_version: sql`row_version + 1`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(asOccupied(fields.effective_date ?? ''))
}

const asOccupied =
  (date: PlainDate) =>
  (error: unknown): never => {
    throw sqlState(error) === '23505' ? invalid([occupied('effective_date', date)]) : error
  }
