/** Builds the rows of hosted services in responses (contracts 3, D50, D91). */
import { isProvider, isProviderAdmin } from '#domain/access.ts'
import { toAdminUrl } from '#domain/checks/service-code.ts'
import { getDueTime } from '#domain/contracts.ts'
import { getServiceEndDates } from '#domain/hosting.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { toTimestamp } from '#domain/time.ts'
import type { RowRef } from '#contract/endpoint.ts'
import type { listServices } from '#contract/services.ts'
import * as rows from '#server/db/hosting/services.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import type { AppContext, UseCaseContext } from '#server/context/context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { createListUseCase, type ListRow } from '#server/use-cases/list-use-case.ts'
import { getVisibleName } from '#server/use-cases/hosting/running-operation.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

export type ServiceResponse = ListRow<typeof listServices>

/** Returns more fields than the contract; the output schema removes them. `isForProvider` includes staff names. */
export function toServiceResponse(
  { config }: AppContext,
  row: rows.ServiceListRow,
  { now, today }: Moment,
  isForProvider: boolean,
): ServiceResponse {
  const hasEnded = row.period_end !== null && row.period_end <= today
  const unpaidOrderId = row.unpaid_id !== null && row.unpaid_due !== null && row.unpaid_due >= now ? row.unpaid_id : 0
  const { stopDate, eraseDate } = getServiceEndDates(row, today)
  const toUnexpiredOrderId = (id: number | null, orderedAt: number | null) =>
    id !== null && orderedAt !== null && getDueTime(toTimestamp(config.timeZone, orderedAt)) >= now ? id : 0
  return {
    ...row,
    name: row.display_name,
    admin_url: row.admin_url ?? (row.url ? toAdminUrl(row.url) : null),
    create_time: toTimestamp(config.timeZone, row.create_time),
    expired_date: row.period_end === null ? null : getLastDay(row.period_end),
    contract_id: row.contract_id ?? 0,
    status: row.contract_id === null ? (unpaidOrderId === 0 ? -1 : 0) : hasEnded ? 2 : 1,
    os_contract: unpaidOrderId,
    os_pdb2s3: toUnexpiredOrderId(row.os_pdb2s3, row.os_pdb2s3_time),
    os_pdb2rds: toUnexpiredOrderId(row.os_pdb2rds, row.os_pdb2rds_time),
    os_traffic: row.os_traffic ?? 0,
    traffic_due: row.os_traffic_time === null ? null : getDueTime(toTimestamp(config.timeZone, row.os_traffic_time)),
    operation: toOperationResponse(config, row, isForProvider),
    stop_date: stopDate,
    erase_date: eraseDate,
    // A device replaces its row only by one with a higher version.
    row_version: row.row_version + row.published_versions,
  }
}

function toOperationResponse(
  config: AppContext['config'],
  { operation }: Pick<rows.ServiceListRow, 'operation'>,
  isForProvider: boolean,
): ServiceResponse['operation'] {
  if (operation === null) return null
  const { kind, since, progressKey, step = null } = operation
  return {
    kind,
    user_name: getVisibleName(operation, isForProvider),
    since: toTimestamp(config.timeZone, since),
    progress_key: progressKey,
    step,
  }
}

/** Throws NOT_FOUND for a company that the caller may not see (N-06). */
function getOwner({ caller }: UseCaseContext, companyId: RowRef | undefined): rows.ServiceOwner {
  if (isProviderAdmin(caller)) return companyId === caller.companyId ? caller.companyId : 'all'
  if (companyId !== undefined && companyId !== caller.companyId) throw createNotFoundProblem()
  return caller.companyId
}

interface ServiceListScope {
  owner: rows.ServiceOwner
  moment: Moment
}

export const serviceList = createListUseCase<typeof listServices, ServiceListScope, rows.ServiceListRow>({
  reads: rows.serviceReads,
  runInScope: async (context, { query: { companyId } }, read) =>
    await read({ owner: getOwner(context, companyId), moment: getBusinessMoment(context) }),
  toRow: ({ app, caller }, row, { moment }) => toServiceResponse(app, row, moment, isProvider(caller)),
})
