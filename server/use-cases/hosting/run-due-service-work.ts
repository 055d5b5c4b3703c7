/**
 * Does the scheduled work on hosted services (contracts 4): the set-up after the contract takes effect, the stop 7 days after its end, and
 * the erasure 30 days later. Mails announce stop and erasure. If the contract is extended, the service is started again.
 */
import { getServiceEndDates } from '#domain/hosting.ts'
import { addDays } from '#domain/plain-dates.ts'
import type { ServiceOperation } from '#contract/services.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import {
  lockService,
  listServicesForUpkeep,
  type UpkeepServiceRow,
  updateService,
} from '#server/db/hosting/services.ts'
import { tryInsertJob } from '#server/db/jobs.ts'
import { listAlertedUsers } from '#server/db/orders/reminders.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { jobTimes, createJobId, createProgressKey, notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { type OperationInput, startOperation } from '#server/use-cases/hosting/running-operation.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

/** Delay in ms between the creation of the contract and the set-up of its service: "Wait for 3 to 5 minutes" (contracts 4). */
export const setUpDelayMs = 180_000
/** Number of days before the stop and before the erasure on which the mails are sent. */
const noticeDays = { stop: 3, erase: 7 }

export type DueServiceWork =
  | { kind: 'operation'; operation: Extract<ServiceOperation, `${'create' | 'start' | 'stop' | 'delete'}-service`> }
  | { kind: 'mail'; subject: 'stop' | 'erase'; day: string }

interface WorkMoment {
  /** Date in the business time zone. */
  today: string
  /** Epoch ms. */
  now: number
  canSetUp: boolean
}

/** Returns one due task, or null. The next run finds the following task. */
export function findDueWork(row: UpkeepServiceRow, moment: WorkMoment): DueServiceWork | null {
  // An unreachable host gets no new operation, because each try would create an audit entry.
  if (row.operation !== null || row.fault === 'unreachable' || row.fault === 'throttled') return null
  return findDueStart(row, moment) ?? findDueEnd(row, moment.today)
}

function findDueStart(row: UpkeepServiceRow, { today, now, canSetUp }: WorkMoment): DueServiceWork | null {
  const { period_start: start, period_end: end, system_status: status } = row
  if (start === null || end === null || start > today || end <= today) return null
  const isReady = (row.contract_time ?? now) <= now - setUpDelayMs
  if (status === 0 && row.awaits_set_up && canSetUp && isReady)
    return { kind: 'operation', operation: 'create-service' }
  return status > 0 && row.is_expired ? { kind: 'operation', operation: 'start-service' } : null
}

function findDueEnd(row: UpkeepServiceRow, today: string): DueServiceWork | null {
  const { stopDate, eraseDate } = getServiceEndDates(row, today)
  const ends = [
    { subject: 'stop', operation: 'stop-service', day: stopDate, notifiedDay: row.notified_stop },
    { subject: 'erase', operation: 'delete-service', day: eraseDate, notifiedDay: row.notified_erase },
  ] as const
  const dueEnd = ends.findLast(({ day }) => day !== null && today >= day)
  if (dueEnd) return { kind: 'operation', operation: dueEnd.operation }
  for (const { subject, day, notifiedDay } of ends)
    if (day !== null && day !== notifiedDay && today >= addDays(day, -noticeDays[subject]))
      return { kind: 'mail', subject, day }
  return null
}

export async function runDueServiceWork(app: AppContext): Promise<number> {
  const moment = {
    today: getBusinessMoment({ app, now: app.clock() }).today,
    now: app.clock(),
    canSetUp: app.config.serviceSetUp,
  }
  const rows = await readAsSystem(app, listServicesForUpkeep)
  let doneCount = 0
  for (const row of rows) {
    const work = findDueWork(row, moment)
    if (!work) continue
    if (!(await writeAsSystem(app, (db) => startDueWork(db, app, row, work)))) continue
    doneCount += 1
    announceServices(app, row.company_id)
  }
  if (doneCount > 0) notifyJobs(app)
  return doneCount
}

/** Returns false if another transaction has changed the row in between. */
async function startDueWork(
  db: DatabaseHandle,
  app: AppContext,
  row: UpkeepServiceRow,
  work: DueServiceWork,
): Promise<boolean> {
  const now = app.clock()
  const lockedService = await lockService(db, row.id)
  if (!lockedService || lockedService.row_version !== row.row_version || lockedService.operation !== null) return false
  if (work.kind === 'operation') {
    await startOperationByClock(db, row, work.operation, now)
    return true
  }
  await updateService(
    db,
    row.id,
    work.subject === 'stop' ? { notified_stop: work.day } : { notified_erase: work.day },
    now,
  )
  const mail = work.subject === 'stop' ? 'service-stops' : 'service-erased'
  for (const userId of await listAlertedUsers(db, row.company_id))
    await requestMail(db, { companyId: row.company_id, now }, { mail, userId, serviceId: row.id, day: work.day })
  return true
}

const operationNames: Partial<Record<ServiceOperation, string>> = {
  'stop-service': 'disable',
  'start-service': 'enable',
}

/** Starts an operation for the portal itself. It is like an operation of a user, but the audit entry names no user. */
export async function startOperationByClock(
  db: DatabaseHandle,
  row: Pick<UpkeepServiceRow, 'id' | 'company_id' | 'code' | 'fence' | 'contract'>,
  kind: ServiceOperation,
  now: number,
): Promise<void> {
  const progressKey = createProgressKey()
  const id = createJobId()
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
  await tryInsertJob(db, {
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
  const entryHeader = { companyId: row.company_id, userId: null, now, status: 0, intent: null, requestId: id } as const
  await addAuditEntries(db, entryHeader, [{ code: 'service', operation, info }])
}
