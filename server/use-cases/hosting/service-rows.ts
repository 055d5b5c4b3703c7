/** Hosted services as they are told to whoever may see them (contracts 3, D50, D91). */
import { isProvider, isProviderAdmin } from '#domain/access.ts'
import { adminUrlOf } from '#domain/checks/entrance.ts'
import { dueOf } from '#domain/contracts.ts'
import { daysAhead } from '#domain/hosting.ts'
import { lastDay } from '#domain/period.ts'
import { timestampIn } from '#domain/time.ts'
import type { Id, OutputOf } from '#contract/endpoint.ts'
import type { listServices } from '#contract/services.ts'
import * as rows from '#server/db/hosting/services.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import type { AppContext, UseCase, UseCaseContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { visibleNameOf } from '#server/use-cases/hosting/running-operation.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

export type ServiceAnswer = Extract<OutputOf<typeof listServices>, { count: number }>['data'][number]

/** `toProvider`: whether the provider's own people are told by name. */
export function serviceRowOf(
  { config }: AppContext,
  row: rows.ServiceRow,
  { now, today }: Moment,
  toProvider: boolean,
): ServiceAnswer {
  const isOver = row.period_end !== null && row.period_end <= today
  const unpaid = row.unpaid_id !== null && row.unpaid_due !== null && row.unpaid_due >= now ? row.unpaid_id : 0
  const { stops, goes } = daysAhead(row, today)
  const outstanding = (id: number | null, ordered: number | null) =>
    id !== null && ordered !== null && dueOf(timestampIn(config.timeZone, ordered)) >= now ? id : 0
  return {
    id: row.id,
    company_id: row.company_id,
    company_name: row.company_name,
    company_code: row.company_code,
    code: row.code,
    name: row.shown_name,
    url: row.url,
    admin_url: row.admin_url ?? (row.url ? adminUrlOf(row.url) : null),
    create_time: timestampIn(config.timeZone, row.create_time),
    period_start: row.period_start,
    expired_date: row.period_end === null ? null : lastDay(row.period_end),
    contract_id: row.contract_id ?? 0,
    contract: row.contract,
    system_status: row.system_status,
    status: row.contract_id === null ? (unpaid === 0 ? -1 : 0) : isOver ? 2 : 1,
    online: row.online,
    alert_date: row.alert_date,
    os_contract: unpaid,
    os_pdb2s3: outstanding(row.os_pdb2s3, row.os_pdb2s3_time),
    os_pdb2rds: outstanding(row.os_pdb2rds, row.os_pdb2rds_time),
    pdb2s3_date: row.pdb2s3_date,
    pdb2rds_date: row.pdb2rds_date,
    os_traffic: row.os_traffic ?? 0,
    traffic_due: row.os_traffic_time === null ? null : dueOf(timestampIn(config.timeZone, row.os_traffic_time)),
    traffic_disabled: row.traffic_disabled,
    failing_backups: row.failing_backups,
    task_runtime_memory: row.task_runtime_memory,
    task_desire_count: row.task_desire_count,
    running_memory: row.running_memory,
    running_tasks: row.running_tasks,
    needs_reboot: row.needs_reboot,
    fault: row.fault,
    operation: operationOf(config, row, toProvider),
    stop_date: stops,
    erase_date: goes,
    is_expired: row.is_expired,
    row_version: row.row_version,
  }
}

function operationOf(
  config: AppContext['config'],
  { operation }: Pick<rows.ServiceRow, 'operation'>,
  toProvider: boolean,
): ServiceAnswer['operation'] {
  if (operation === null) return null
  const { kind, since, progressKey } = operation
  return {
    kind,
    user_name: visibleNameOf(operation, toProvider),
    since: timestampIn(config.timeZone, since),
    progress_key: progressKey,
  }
}

interface Asked {
  query: { companyId?: Id | undefined }
}

/** Throws NOT_FOUND where a company is named that is none of the caller's business (N-06). */
function whoseOf({ caller }: UseCaseContext, { query: { companyId } }: Asked): rows.Whose {
  if (isProviderAdmin(caller)) return companyId === caller.companyId ? caller.companyId : 'all'
  if (companyId !== undefined && companyId !== caller.companyId) throw notFound()
  return caller.companyId
}

const told = (context: UseCaseContext, found: readonly rows.ServiceRow[]): ServiceAnswer[] => {
  const moment = momentOf(context)
  return found.map((row) => serviceRowOf(context.app, row, moment, isProvider(context.caller)))
}

export const list = {
  changeNow: ({ db }: UseCaseContext) => rows.serviceChange(db),

  page: (async (context, input) => {
    const { count, rows: found } = await rows.pageOfServices(context.db, whoseOf(context, input), input.query)
    return { body: { count, data: told(context, found) } }
  }) satisfies UseCase<typeof listServices>,

  async changes(context: UseCaseContext, input: Asked, since: number | null) {
    const { changed, ...rest } = await rows.servicesSince(context.db, whoseOf(context, input), since)
    return { changed: told(context, changed), ...rest }
  },

  async rowsAfter(context: UseCaseContext, input: Asked, id: number, most: number) {
    return told(context, await rows.servicesAfter(context.db, whoseOf(context, input), { id, most }))
  },
}
