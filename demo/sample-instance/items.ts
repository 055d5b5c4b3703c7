import type { SampleStore } from '#demo/sample-instance/store.ts'

export interface StockItem {
  id: number
  code: string
  name: string
  /** Quantity in thousandths of the unit. */
  quantity: number
  unit: string
  version: number
}

export interface ItemFields {
  code: string
  name: string
  quantity: string
  unit: string
}
export type ItemFault = 'code-wrong' | 'name-wrong' | 'quantity-wrong' | 'unit-wrong'

export const pageSize = 50
const codePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,29}$/
const quantityPattern = /^-?\d{1,9}(?:\.\d{1,3})?$/
const isSingleLine = (text: string, maxLength: number) =>
  text !== '' && text.length <= maxLength && !/\p{Cc}/u.test(text)

export function parseItem({ code, name, quantity, unit }: ItemFields): Omit<StockItem, 'id' | 'version'> | ItemFault {
  if (!codePattern.test(code)) return 'code-wrong'
  if (!isSingleLine(name, 100)) return 'name-wrong'
  if (!quantityPattern.test(quantity)) return 'quantity-wrong'
  if (!isSingleLine(unit, 20)) return 'unit-wrong'
  return { code, name, quantity: Math.round(Number(quantity) * 1000), unit }
}

/** Formats a quantity as users type it: 1500 thousandths are `1.5`. */
export const formatQuantity = (thousandths: number): string => String(thousandths / 1000)

export interface ItemPage {
  items: StockItem[]
  total: number
}

export function findItems(store: SampleStore, search: string, page: number): ItemPage {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  const whereClause = "where code like ? escape '\\' or name like ? escape '\\'"
  const { count } = store.prepare(`select count(*) as count from items ${whereClause}`).get(pattern, pattern) ?? {}
  const items = store
    .prepare(`select id, code, name, quantity, unit, version from items ${whereClause} order by code limit ? offset ?`)
    .all(pattern, pattern, pageSize, page * pageSize)
  return { items: items as unknown as StockItem[], total: Number(count) }
}

export const getItem = (store: SampleStore, id: number) =>
  (store.prepare('select id, code, name, quantity, unit, version from items where id = ?').get(id) ??
    null) as unknown as StockItem | null

/** Returns false if the code is already used. */
export function addItem(store: SampleStore, item: Omit<StockItem, 'id' | 'version'>, now: number): boolean {
  const { changes } = store
    .prepare(
      'insert into items (code, name, quantity, unit, version, changed) values (?, ?, ?, ?, 1, ?) on conflict do nothing',
    )
    .run(item.code, item.name, item.quantity, item.unit, now)
  return Number(changes) === 1
}

/** Returns `taken` if another item has the code, and `stale` if the item was changed or deleted since it was displayed. */
export function changeItem(
  store: SampleStore,
  { id, version, ...item }: StockItem,
  now: number,
): 'done' | 'taken' | 'stale' {
  const otherItem = store.prepare('select 1 from items where code = ? and id <> ?').get(item.code, id)
  if (otherItem) return 'taken'
  const { changes } = store
    .prepare(
      'update items set code = ?, name = ?, quantity = ?, unit = ?, version = version + 1, changed = ? where id = ? and version = ?',
    )
    .run(item.code, item.name, item.quantity, item.unit, now, id, version)
  return Number(changes) === 1 ? 'done' : 'stale'
}

export function deleteItem(store: SampleStore, id: number): void {
  store.prepare('delete from items where id = ?').run(id)
}
