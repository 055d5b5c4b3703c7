/** Lists of backup subscriptions and traffic (contracts 3, D91). */
import { getBackupOrderStatus } from '#domain/backups.ts'
import { getDueTime, getDueTimeWithin } from '#domain/contracts.ts'
import { toTimestamp } from '#domain/time.ts'
import type { listBackupOrders, listTraffic } from '#contract/backups.ts'
import type { RowRef } from '#contract/endpoint.ts'
import * as rows from '#server/db/hosting/backups.ts'
import type { UseCaseContext, AppContext } from '#server/context/context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { getLapseBounds } from '#server/use-cases/hosting/traffic/suspension.ts'
import { createListUseCase, type ListRow } from '#server/use-cases/list-use-case.ts'
import { runForRow } from '#server/use-cases/orders/acting-company.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

const runForSubscriptions = <T>(
  context: UseCaseContext,
  { query }: { query: { serviceId: RowRef } },
  work: (service: rows.ServiceKey) => Promise<T>,
): Promise<T> =>
  runForRow(context, 'service', query.serviceId, async ({ companyId }, serviceId) => {
    if (!(await rows.isCompanyService(context.db, { companyId, serviceId }))) throw createNotFoundProblem()
    return await work({ companyId, serviceId })
  })

function toBackupRow(context: UseCaseContext, row: rows.BackupRecord): ListRow<typeof listBackupOrders> {
  const createTime = toTimestamp(context.app.config.timeZone, row.create_time)
  const dueTime = getDueTimeWithin(createTime, row.period_end)
  return {
    ...row,
    create_time: createTime,
    due: dueTime,
    status: getBackupOrderStatus(row.status, dueTime, getBusinessMoment(context).now),
  }
}

const toTrafficRow = ({ config }: AppContext, row: rows.TrafficRecord): ListRow<typeof listTraffic> => ({
  ...row,
  due: getDueTime(toTimestamp(config.timeZone, row.create_time)),
})

export const backupSubscriptionList = createListUseCase<
  typeof listBackupOrders,
  rows.BackupListScope,
  rows.BackupRecord
>({
  reads: rows.backupReads,
  runInScope: (context, input, read) =>
    runForSubscriptions(context, input, (service) => read({ ...service, bounds: getLapseBounds(context) })),
  toRow: toBackupRow,
})

export const trafficSubscriptionList = createListUseCase<typeof listTraffic, rows.ServiceKey, rows.TrafficRecord>({
  reads: rows.trafficReads,
  runInScope: runForSubscriptions,
  toRow: ({ app }, row) => toTrafficRow(app, row),
})
