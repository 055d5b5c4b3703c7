/**
 * What time does to hosted services (contracts 4): one whose contract is in effect is set up some minutes later; one whose contract is
 * over stops after 7 days, and its data goes 30 days after that; both are mailed before, and an extension starts it again.
 */
import { daysAhead } from '#domain/hosting.ts'
import { addDays } from '#domain/period.ts'
import type { ServiceOperation } from '#contract/services.ts'
import type { Handle } from '#server/db/handle.ts'
import { serviceForUpdate, servicesToTend, type TendedRow, updateService } from '#server/db/hosting/services.ts'
import { putJob } from '#server/db/jobs.ts'
import { alertedUsers } from '#server/db/orders/reminders.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { jobTimes, newJobId, newProgressKey, notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { type OperationInput, startOperation } from '#server/use-cases/hosting/running-operation.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

const system = { role: 'portal_system' } as const

/** "Wait for 3 to 5 minutes" (contracts 4). */
export const setUpMs = 180_000
/** Days before the stop, and before the data goes, on which people are told. */
const told = { stop: 3, erase: 7 }

/** What is due for one service; null: nothing. */
export type Due =
  | { kind: 'operation'; operation: Extract<ServiceOperation, `${'create' | 'start' | 'stop' | 'delete'}-service`> }
  | { kind: 'mail'; about: 'stop' | 'erase'; day: string }

/** `today` in the business time zone; `now` in epoch ms. One thing at a time: the next look finds what follows. */
export function dueOf(
  row: TendedRow,
  { today, now, setsUp }: { today: string; now: number; setsUp: boolean },
): Due | null {
  // A host that is away is not asked again and again: each asking would be an entry of the trail.
  if (row.operation !== null || row.fault === 'unreachable') return null
  const { period_start: start, period_end: end, system_status: status } = row
  const operation = (name: 'create' | 'start' | 'stop' | 'delete'): Due => ({
    kind: 'operation',
    operation: `${name}-service`,
  })
  if (start !== null && end !== null && start <= today && end > today) {
    const isRipe = (row.contract_time ?? now) <= now - setUpMs
    if (status === 0 && row.awaits_set_up && setsUp && isRipe) return operation('create')
    if (status > 0 && row.is_expired) return operation('start')
  }
  const { stops, goes } = daysAhead(row, today)
  if (goes !== null && today >= goes) return operation('delete')
  if (stops !== null && today >= stops) return operation('stop')
  if (stops !== null && today >= addDays(stops, -told.stop) && row.told_stop !== stops)
    return { kind: 'mail', about: 'stop', day: stops }
  if (goes !== null && today >= addDays(goes, -told.erase) && row.told_erase !== goes)
    return { kind: 'mail', about: 'erase', day: goes }
  return null
}

/** Looks at every service once. Answers how much was due. */
export async function tendServices(app: AppContext): Promise<number> {
  const moment = { today: momentOf({ app, now: app.clock() }).today, now: app.clock(), setsUp: app.config.serviceSetUp }
  const rows = await inTransaction(app, system, servicesToTend, 'reading')
  let done = 0
  for (const row of rows) {
    const due = dueOf(row, moment)
    if (!due) continue
    if (!(await inTransaction(app, system, (db) => attend(db, app, row, due)))) continue
    done += 1
    announceServices(app, row.company_id)
  }
  if (done > 0) notifyJobs(app)
  return done
}

/** False: somebody else was here in between. */
async function attend(db: Handle, app: AppContext, row: TendedRow, due: Due): Promise<boolean> {
  const now = app.clock()
  const held = await serviceForUpdate(db, row.id)
  if (!held || held.row_version !== row.row_version || held.operation !== null) return false
  if (due.kind === 'operation') {
    await beginByClock(db, row, due.operation, now)
    return true
  }
  await updateService(db, row.id, due.about === 'stop' ? { told_stop: due.day } : { told_erase: due.day }, now)
  const mail = due.about === 'stop' ? 'service-stops' : 'service-erased'
  for (const userId of await alertedUsers(db, row.company_id))
    await askMail(db, { companyId: row.company_id, now }, { mail, userId, serviceId: row.id, day: due.day })
  return true
}

/** As the trail knows them. */
const operationNames: Partial<Record<ServiceOperation, string>> = {
  'stop-service': 'disable',
  'start-service': 'enable',
}

/** In the row and as a job, as people's are; the trail says that nobody asked. */
export async function beginByClock(
  db: Handle,
  row: Pick<TendedRow, 'id' | 'company_id' | 'code' | 'fence' | 'contract'>,
  kind: ServiceOperation,
  now: number,
): Promise<void> {
  const progressKey = newProgressKey()
  const id = newJobId()
  const fence = await startOperation(db, row, {
    kind,
    userId: 0,
    userName: '',
    byProvider: false,
    since: now,
    progressKey,
  })
  const operation = operationNames[kind] ?? kind.replace('-service', '')
  const info = { ServiceCode: row.code, ContractCode: row.contract ?? undefined, By: 'schedule' }
  const input: OperationInput = {
    kind,
    serviceId: row.id,
    companyId: row.company_id,
    code: row.code,
    fence,
    userId: 0,
    userCompanyId: row.company_id,
    toProvider: false,
    config: null,
    trail: { operation, info },
    requestId: id,
    intent: null,
  }
  await putJob(db, {
    id,
    companyId: 0,
    userId: 0,
    intent: id,
    kind,
    input,
    progressKey,
    now,
    deadline: now + jobTimes.deadline,
  })
  const head = { companyId: row.company_id, userId: null, now, status: 0, intent: null, requestId: id } as const
  await addToTrail(db, head, [{ code: 'service', operation, info }])
}
