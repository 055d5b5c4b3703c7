/** Rows of groups of items that are paid together. A group is inserted once for a set of items, and never changed. */
import { type Expression, type SqlBool, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import {
  columnByKind,
  type PayableItemRef,
  type PayableRef,
  sortItems,
  toItemColumns,
  toItemRef,
} from '#server/db/payments/payables.ts'

interface GroupItems {
  companyId: number
  items: readonly PayableItemRef[]
}

const formatItems = (items: readonly PayableItemRef[]) =>
  sortItems(items)
    .map(({ kind, id }) => `${kind}-${id}`)
    .join(',')

/** Returns the reference of a payment of exactly these items, or null if no payment of this group was ever started. */
export async function findItemsRef(db: DatabaseHandle, { companyId, items }: GroupItems): Promise<PayableRef | null> {
  const [firstItem] = items
  if (firstItem && items.length === 1) return firstItem
  const query = db.selectFrom('payment_group').select('id').where('company_id', '=', companyId)
  const group = await findRow(query.where('items', '=', formatItems(items)))
  return group ? { kind: 'group', id: group.id } : null
}

/** Like `findItemsRef`, but inserts a missing group. Must be called while all items are locked. */
export async function requireItemsRef(
  db: DatabaseHandle,
  { companyId, items }: GroupItems,
  now: number,
): Promise<PayableRef> {
  const payableRef = await findItemsRef(db, { companyId, items })
  if (payableRef) return payableRef
  const group = { company_id: companyId, items: formatItems(items), create_time: now }
  const { id } = await db.insertInto('payment_group').values(group).returning('id').executeTakeFirstOrThrow()
  const rows = sortItems(items).map((item) => ({ group_id: id, company_id: companyId, ...toItemColumns(item) }))
  await db.insertInto('payment_group_item').values(rows).execute()
  return { kind: 'group', id }
}

/** Returns the items in the order in which they are locked. */
export async function listItems(db: DatabaseHandle, payableRef: PayableRef): Promise<PayableItemRef[]> {
  if (payableRef.kind !== 'group') return [payableRef]
  const rows = await db
    .selectFrom('payment_group_item')
    .select(['order_id', 'backup_order_id', 'traffic_id'])
    .where('group_id', '=', payableRef.id)
    .execute()
  return sortItems(rows.map(toItemRef))
}

/** SQL condition: the row, of a table with the columns of a payable, is about exactly this payable. */
export const isAbout = ({ kind, id }: PayableRef): Expression<SqlBool> =>
  kind === 'group'
    ? sql<SqlBool>`group_id = ${id}`
    : sql<SqlBool>`${sql.ref(columnByKind[kind])} = ${id} and group_id is null`

/**
 * SQL condition: the row is about at least one of the items, alone or in a group. Its arrays let PostgreSQL use the indexes of the columns;
 * with `in (select …)` it would read the whole table.
 */
export const concernsAny = (items: readonly PayableItemRef[]): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    [...Map.groupBy(items, ({ kind }) => kind)].map(([kind, itemsOfKind]) => {
      const column = sql.ref(columnByKind[kind])
      const ids = sql`any(${itemsOfKind.map(({ id }) => id)}::integer[])`
      return sql`${column} = ${ids} or group_id = any(array(
        select i.group_id from payment_group_item i where i.${column} = ${ids}))`
    }),
    sql` or `,
  )})`

/** SQL for the codes of a group's services, such as `shop, store`. It is null if `groupId` is null. */
export const selectGroupCodes = (groupId: Expression<number | null>) => sql<string | null>`(
  select string_agg(distinct coalesce(o.code, b.service_code, t.service_code), ', ')
  from payment_group_item i
  left join service_order o on o.id = i.order_id
  left join backup_order b on b.id = i.backup_order_id
  left join traffic t on t.id = i.traffic_id
  where i.group_id = ${groupId})`
