import type { SampleStore } from '#demo/sample-instance/storage/store.ts'

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

export async function findItems(store: SampleStore, search: string, page: number): Promise<ItemPage> {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  const { like, orderByText } = store.dialect
  const whereClause = `where code ${like} ? escape '\\' or name ${like} ? escape '\\'`
  const { count } = (await store.get(`select count(*) as count from items ${whereClause}`, pattern, pattern)) ?? {}
  const items = await store.all(
    `select id, code, name, quantity, unit, version from items ${whereClause} order by ${orderByText('code')} limit ? offset ?`,
    pattern,
    pattern,
    pageSize,
    page * pageSize,
  )
  return { items: items as unknown as StockItem[], total: Number(count) }
}

export const getItem = async (store: SampleStore, id: number): Promise<StockItem | null> =>
  ((await store.get('select id, code, name, quantity, unit, version from items where id = ?', id)) ??
    null) as StockItem | null

/** Returns false if the code is already used. */
export async function addItem(
  store: SampleStore,
  { code, name, quantity, unit }: Omit<StockItem, 'id' | 'version'>,
  now: number,
): Promise<boolean> {
  const statement =
    'insert into items (code, name, quantity, unit, version, changed) values (?, ?, ?, ?, 1, ?) on conflict do nothing'
  return (await store.run(statement, code, name, quantity, unit, now)) === 1
}

/** Returns `taken` if another item has the code, and `stale` if the item was changed or deleted since it was displayed. */
export function changeItem(
  store: SampleStore,
  { id, version, code, name, quantity, unit }: StockItem,
  now: number,
): Promise<'done' | 'taken' | 'stale'> {
  return store.runInTransaction(async (queries) => {
    const sameCode = queries.dialect.isSameText('code')
    if (await queries.get(`select 1 from items where ${sameCode} and id <> ?`, code, id)) return 'taken'
    const statement =
      'update items set code = ?, name = ?, quantity = ?, unit = ?, version = version + 1, changed = ? where id = ? and version = ?'
    return (await queries.run(statement, code, name, quantity, unit, now, id, version)) === 1 ? 'done' : 'stale'
  })
}

export async function deleteItem(store: SampleStore, id: number): Promise<void> {
  await store.run('delete from items where id = ?', id)
}
