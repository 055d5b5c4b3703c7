/** Backup subscriptions of a service and its traffic, as they are listed (contracts 3, D91). */
import { orderStatus } from '#domain/backups.ts'
import { dueOf, dueWithin } from '#domain/contracts.ts'
import { timestampIn } from '#domain/time.ts'
import type { listBackupOrders, listTraffic } from '#contract/backups.ts'
import type { Id, OutputOf } from '#contract/endpoint.ts'
import * as rows from '#server/db/hosting/backups.ts'
import { changeOf } from '#server/db/change-numbers.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { lapseBounds } from '#server/use-cases/hosting/traffic/suspension.ts'
import { forRow } from '#server/use-cases/orders/acting-company.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

type BackupRow = Extract<OutputOf<typeof listBackupOrders>, { count: number }>['data'][number]
type TrafficRow = Extract<OutputOf<typeof listTraffic>, { count: number }>['data'][number]

interface OfService {
  query: { serviceId: Id }
}

/** Throws NOT_FOUND for a service that is none of the caller's business. */
const forService = <T>(
  context: UseCaseContext,
  { query }: OfService,
  work: (of: rows.OfService) => Promise<T>,
): Promise<T> =>
  forRow(context, 'service', query.serviceId, async ({ companyId }, serviceId) => {
    if (!(await rows.isServiceOf(context.db, { companyId, serviceId }))) throw notFound()
    return await work({ companyId, serviceId })
  })

const changeNow = (context: UseCaseContext, input: OfService) =>
  forService(context, input, ({ companyId }) => changeOf(context.db, companyId))

function backupRowOf(context: UseCaseContext, row: rows.BackupRecord): BackupRow {
  const created = timestampIn(context.app.config.timeZone, row.create_time)
  const due = dueWithin(created, row.period_end)
  return { ...row, create_time: created, due, status: orderStatus(row.status, due, momentOf(context).now) }
}

const trafficRowOf = ({ config }: AppContext, row: rows.TrafficRecord): TrafficRow => ({
  ...row,
  due: dueOf(timestampIn(config.timeZone, row.create_time)),
})

export const backups = {
  changeNow,

  page: ((context, { query }) =>
    forService(context, { query }, async (of) => {
      const { count, rows: found } = await rows.pageOfBackups(context.db, of, lapseBounds(context), query)
      return { body: { count, data: found.map((row) => backupRowOf(context, row)) } }
    })) satisfies UseCase<typeof listBackupOrders>,

  changes: (context: UseCaseContext, input: OfService, since: number | null) =>
    forService(context, input, async (of) => {
      const { changed, ...told } = await rows.backupsSince(context.db, of, lapseBounds(context), since)
      return { changed: changed.map((row) => backupRowOf(context, row)), ...told }
    }),

  rowsAfter: (context: UseCaseContext, input: OfService, id: number, most: number) =>
    forService(context, input, async (of) => {
      const found = await rows.backupsAfter(context.db, of, { id, most })
      return found.map((row) => backupRowOf(context, row))
    }),
}

export const traffic = {
  changeNow,

  page: ((context, { query }) =>
    forService(context, { query }, async (of) => {
      const { count, rows: found } = await rows.pageOfTraffic(context.db, of, query)
      return { body: { count, data: found.map((row) => trafficRowOf(context.app, row)) } }
    })) satisfies UseCase<typeof listTraffic>,

  changes: (context: UseCaseContext, input: OfService, since: number | null) =>
    forService(context, input, async (of) => {
      const { changed, ...told } = await rows.trafficSince(context.db, of, since)
      return { changed: changed.map((row) => trafficRowOf(context.app, row)), ...told }
    }),

  rowsAfter: (context: UseCaseContext, input: OfService, id: number, most: number) =>
    forService(context, input, async (of) => {
      const found = await rows.trafficAfter(context.db, of, { id, most })
      return found.map((row) => trafficRowOf(context.app, row))
    }),
}
