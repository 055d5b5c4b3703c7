/** Describes unpaid items for a pro-forma invoice, as an invoice would (decision 124). */
import { getTrafficMonth } from '#domain/fees/traffic.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findBackupById, findServiceName, findTrafficById } from '#server/db/hosting/backups.ts'
import { readModuleNames } from '#server/db/payments/issued-documents.ts'
import { lockPayableOrder, type PayableItemRef } from '#server/db/payments/payables.ts'
import { requireRow } from '#server/problems/problem-error.ts'
import type { FrozenProformaItem } from '#server/use-cases/documents/frozen-content.ts'

/** The item must be locked. Throws NOT_FOUND if it does not exist. */
export function describeItem(
  db: DatabaseHandle,
  companyId: number,
  { kind, id }: PayableItemRef,
): Promise<FrozenProformaItem> {
  if (kind === 'order') return describeOrder(db, id)
  return kind === 'backup' ? describeBackup(db, companyId, id) : describeTraffic(db, companyId, id)
}

async function describeOrder(db: DatabaseHandle, id: number): Promise<FrozenProformaItem> {
  const order = requireRow(await lockPayableOrder(db, id))
  const { code, name, type, users, user_mode, modules, uat, period_start, period_end, currency, pay_amount } = order
  const module_names = await readModuleNames(db, order.client_type, modules)
  return {
    service: { code, name },
    order: { type, users, user_mode, modules, module_names, uat, period_start, period_end },
    currency,
    pay_amount,
  }
}

async function describeBackup(db: DatabaseHandle, companyId: number, id: number): Promise<FrozenProformaItem> {
  const backup = requireRow(await findBackupById(db, companyId, id))
  const { service_code: code, pdb_type, period_start, period_end, annual, discount, currency, pay_amount } = backup
  return {
    service: { code, name: await findServiceName(db, backup) },
    backup: { pdb_type, period_start, period_end, annual, discount },
    currency,
    pay_amount,
  }
}

async function describeTraffic(db: DatabaseHandle, companyId: number, id: number): Promise<FrozenProformaItem> {
  const traffic = requireRow(await findTrafficById(db, companyId, id))
  const { service_code: code, period_end, pdb_traffic, free, price, currency, amount } = traffic
  return {
    service: { code, name: await findServiceName(db, traffic) },
    traffic: { month: getTrafficMonth(period_end), pdb_traffic, free, price },
    currency,
    pay_amount: amount,
  }
}
