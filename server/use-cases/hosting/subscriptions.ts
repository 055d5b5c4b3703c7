/** Backup subscriptions of a service and its traffic, as they are listed (contracts 3, D91). */
import { getBackupOrderStatus } from '#domain/backups.ts'
import { getDueTime, getDueTimeWithin } from '#domain/contracts.ts'
import { toTimestamp } from '#domain/time.ts'
import type { listBackupOrders, listTraffic } from '#contract/backups.ts'
import type { RowRef, OutputOf } from '#contract/endpoint.ts'
import * as rows from '#server/db/hosting/backups.ts'
import { readChangeNumber } from '#server/db/change-numbers.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { getLapseBounds } from '#server/use-cases/hosting/traffic/suspension.ts'
import { runForRow } from '#server/use-cases/orders/acting-company.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

type BackupRow = Extract<OutputOf<typeof listBackupOrders>, { count: number }>['data'][number]
type TrafficRow = Extract<OutputOf<typeof listTraffic>, { count: number }>['data'][number]

interface SubscriptionListInput {
  query: { serviceId: RowRef }
}

/** Throws NOT_FOUND for a service that is none of the caller's business. */
const runForSubscriptions = <T>(
  context: UseCaseContext,
  { query }: SubscriptionListInput,
  work: (serviceRef: rows.ServiceKey) => Promise<T>,
): Promise<T> =>
  runForRow(context, 'service', query.serviceId, async ({ companyId }, serviceId) => {
    if (!(await rows.isCompanyService(context.db, { companyId, serviceId }))) throw createNotFoundProblem()
    return await work({ companyId, serviceId })
  })

const readSubscriptionChange = (context: UseCaseContext, input: SubscriptionListInput) =>
  runForSubscriptions(context, input, ({ companyId }) => readChangeNumber(context.db, companyId))

function toBackupRow(context: UseCaseContext, row: rows.BackupRecord): BackupRow {
  const createTime = toTimestamp(context.app.config.timeZone, row.create_time)
  const dueTime = getDueTimeWithin(createTime, row.period_end)
  return {
    ...row,
    create_time: createTime,
    due: dueTime,
    status: getBackupOrderStatus(row.status, dueTime, getBusinessMoment(context).now),
  }
}

const toTrafficRow = ({ config }: AppContext, row: rows.TrafficRecord): TrafficRow => ({
  ...row,
  due: getDueTime(toTimestamp(config.timeZone, row.create_time)),
})

export const backupSubscriptionList = {
  readLatestChange: readSubscriptionChange,

  readPage: ((context, { query }) =>
    runForSubscriptions(context, { query }, async (serviceRef) => {
      const { count, rows: records } = await rows.readBackupPage(context.db, serviceRef, getLapseBounds(context), query)
      return { body: { count, data: records.map((row) => toBackupRow(context, row)) } }
    })) satisfies UseCase<typeof listBackupOrders>,

  readChanges: (context: UseCaseContext, input: SubscriptionListInput, since: number | null) =>
    runForSubscriptions(context, input, async (serviceRef) => {
      const { changed: changedRecords, ...otherChanges } = await rows.readBackupChanges(
        context.db,
        serviceRef,
        getLapseBounds(context),
        since,
      )
      return { changed: changedRecords.map((row) => toBackupRow(context, row)), ...otherChanges }
    }),

  readRowsAfter: (context: UseCaseContext, input: SubscriptionListInput, id: number, maxRows: number) =>
    runForSubscriptions(context, input, async (serviceRef) => {
      const records = await rows.listBackupsAfter(context.db, serviceRef, { id, limit: maxRows })
      return records.map((row) => toBackupRow(context, row))
    }),
}

export const trafficSubscriptionList = {
  readLatestChange: readSubscriptionChange,

  readPage: ((context, { query }) =>
    runForSubscriptions(context, { query }, async (serviceRef) => {
      const { count, rows: records } = await rows.readTrafficPage(context.db, serviceRef, query)
      return { body: { count, data: records.map((row) => toTrafficRow(context.app, row)) } }
    })) satisfies UseCase<typeof listTraffic>,

  readChanges: (context: UseCaseContext, input: SubscriptionListInput, since: number | null) =>
    runForSubscriptions(context, input, async (serviceRef) => {
      const { changed: changedRecords, ...otherChanges } = await rows.readTrafficChanges(context.db, serviceRef, since)
      return { changed: changedRecords.map((row) => toTrafficRow(context.app, row)), ...otherChanges }
    }),

  readRowsAfter: (context: UseCaseContext, input: SubscriptionListInput, id: number, maxRows: number) =>
    runForSubscriptions(context, input, async (serviceRef) => {
      const records = await rows.listTrafficAfter(context.db, serviceRef, { id, limit: maxRows })
      return records.map((row) => toTrafficRow(context.app, row))
    }),
}
