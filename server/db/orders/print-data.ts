import type { Selectable } from 'kysely'
import { type Language, userStatus } from '#domain/accounts/users.ts'
import { findContractById, type ContractRecord } from '#server/db/orders/contracts.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { OrderTable } from '#server/db/tables/order-tables.ts'

export interface PrintReader {
  name: string
  language: Language
}

/** Returns the user who requested the print, or null if they are not active or lack the order right. */
export const findPrintReader = (db: DatabaseHandle, userId: number) =>
  findRow(
    db
      .selectFrom('portal_user')
      .select(['name', 'language'])
      .where(hasValues({ id: userId, status: userStatus.activated }))
      .where('orders', '=', true),
  )

export interface PrintedContract {
  contract: ContractRecord
  order: Pick<Selectable<OrderTable>, 'name' | 'description' | 'steps' | 'create_time'>
  invoice: unknown
  modules: Map<string, string>
}

export async function readPrintedContract(
  db: DatabaseHandle,
  companyId: number,
  id: number,
): Promise<PrintedContract | null> {
  const contract = await findContractById(db, companyId, id)
  if (!contract) return null
  const order = await db
    .selectFrom('service_order')
    .select(['name', 'description', 'steps', 'create_time'])
    .where('id', '=', contract.order_id)
    .executeTakeFirstOrThrow()
  const moduleRows = await db
    .selectFrom('module')
    .select(['code', 'name'])
    .where('type', '=', contract.client_type)
    .execute()
  const modules = new Map(moduleRows.map(({ code, name }) => [code, name]))
  return { contract, order, invoice: await readFrozenInvoice(db, 'order_id', contract.order_id), modules }
}

/** Returns the stored content of the invoice. Returns null if there was nothing to pay, or if no gateway was paid. */
export async function readFrozenInvoice(
  db: DatabaseHandle,
  subject: 'order_id' | 'backup_order_id' | 'traffic_id',
  id: number,
): Promise<unknown> {
  const row = await db.selectFrom('invoice').select('content').where(subject, '=', id).executeTakeFirst()
  return row?.content ?? null
}
