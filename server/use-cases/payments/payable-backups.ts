/** Handles the payment of backup subscriptions. Only this code puts a subscription into effect (D15, D21). */
import { getDueTimeWithin } from '#domain/contracts.ts'
import { getBackupOrderStatus } from '#domain/backups.ts'
import { toTimestamp } from '#domain/time.ts'
import {
  scheduleFirstBackup,
  hasNewerBackup,
  isReplacedBackup,
  isCompanyService,
  findLastPaidPeriod,
  updateBackup,
} from '#server/db/hosting/backups.ts'
import type { ChangeStamp } from '#server/db/orders/orders.ts'
import { touchListedOrder } from '#server/db/orders/unpaid-matters.ts'
import { type PayableBackupRecord, lockPayableBackup } from '#server/db/payments/payables.ts'
import { createBackupInvoice } from '#server/use-cases/payments/invoices.ts'
import type { LockedItem, PaymentContext } from '#server/use-cases/payments/payable.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

export async function buildBackupPayable(context: PaymentContext, id: number): Promise<LockedItem | null> {
  const { db, app } = context
  const backup = await lockPayableBackup(db, id)
  if (!backup) return null
  const { company_id: companyId, service_id: serviceId, service_code: code, currency, pay_amount } = backup
  const due = getDueTimeWithin(toTimestamp(app.config.timeZone, backup.create_time), backup.period_end)
  const status = getBackupOrderStatus(backup.status, due, getBusinessMoment(context).now)
  return {
    itemRef: { kind: 'backup', id },
    companyId,
    code,
    currency,
    pay_amount,
    due,
    isDeleted: false,
    isPaid: status === 1,
    isReplaced: backup.status === -1 && (await isReplacedBackup(db, backup)),
    hasEnded: false,
    refusal: ({ [-1]: 'invalid', 0: null, 1: 'paidAlready' } as const)[status],
    isOvertaken: async () => !(await isCompanyService(db, { companyId, serviceId })),
    async findReviveRefusal() {
      if (backup.period_end <= getBusinessMoment(context).today) return 'contractEnded'
      if (await hasNewerBackup(db, backup)) return 'newerOrder'
      return (await isCompanyService(db, { companyId, serviceId })) ? null : 'serviceGone'
    },
    revive: async () => undefined,
    takeEffect: async (payment) => ({ InvoiceNo: await createBackupInvoice(context, companyId, id, payment) }),
    updateService: (changeStamp) => activateBackup(context, backup, changeStamp),
    auditTarget: { code: 'backup', info: { ServiceCode: code, OrderId: id } },
    status: { before: backup.status === 0 ? 'unpaid' : 'invalid', after: 'effective' },
  }
}

export async function activateBackup(
  context: PaymentContext,
  {
    id,
    company_id: companyId,
    service_id: serviceId,
    service_code: code,
    pdb_type: type,
  }: Pick<PayableBackupRecord, 'id' | 'company_id' | 'service_id' | 'service_code' | 'pdb_type'>,
  changeStamp: ChangeStamp,
): Promise<void> {
  const { db, now } = context
  const serviceRef = { companyId, serviceId }
  const lastPeriod = await findLastPaidPeriod(db, serviceRef, type)
  const isContinuing = lastPeriod !== null && lastPeriod.end > getBusinessMoment(context).today
  await updateBackup(db, id, { status: 1 }, changeStamp)
  await touchListedOrder(db, { companyId, code }, changeStamp.change)
  // This is the last step, because the services' counter stays locked until the commit.
  await scheduleFirstBackup(db, serviceRef, { type, now, isContinued: isContinuing })
}
