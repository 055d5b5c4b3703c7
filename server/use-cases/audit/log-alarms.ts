/** Stores and mails alarms about manipulated logs. This process signs no entries of such a log until a complete check finds no fault. */
import { PROVIDER } from '#domain/access.ts'
import type { LogFault } from '#domain/audit-log/fault.ts'
import { toPlainDate } from '#domain/time.ts'
import type { AppContext } from '#server/context/context.ts'
import { setFactOnce } from '#server/db/installation-facts.ts'
import { listAlertedAdmins } from '#server/db/orders/reminders.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { ChangedLogError } from '#server/use-cases/audit/check-signed-edge.ts'
import { isDueToLog } from '#server/use-cases/audit/due-to-log.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'

export interface AuditLogAlarm {
  fault: LogFault
  /** Range of log indexes. `to` is exclusive. */
  from: number
  to: number
}

interface AlarmState {
  byCompany: Map<number, AuditLogAlarm>
  unmailedCompanyIds: Set<number>
}

const states = new WeakMap<AppContext, AlarmState>()

function getAlarmState(app: AppContext): AlarmState {
  const state = states.get(app) ?? { byCompany: new Map(), unmailedCompanyIds: new Set() }
  states.set(app, state)
  return state
}

export const getLogAlarm = (app: AppContext, companyId: number): AuditLogAlarm | null =>
  getAlarmState(app).byCompany.get(companyId) ?? null

export const listLogAlarms = (app: AppContext): ReadonlyMap<number, AuditLogAlarm> => getAlarmState(app).byCompany

export const clearLogAlarm = (app: AppContext, companyId: number): void =>
  void getAlarmState(app).byCompany.delete(companyId)

/** Stores the alarm and writes it to the server's log. `mailLogAlarms` sends the mail. */
export function raiseLogAlarm(app: AppContext, companyId: number, { code, message, from, to }: ChangedLogError): void {
  const state = getAlarmState(app)
  state.byCompany.set(companyId, { fault: code, from, to })
  if (!isDueToLog(app, `changed ${companyId}`)) return
  state.unmailedCompanyIds.add(companyId)
  app.log.error(
    { event: 'audit_log_changed', company: companyId, fault: code, from, to, detail: message },
    'an audit log was changed: signing of its entries stopped',
  )
}

/** Requests the mails of new alarms to the provider's admins, once per log and day. */
export async function mailLogAlarms(app: AppContext): Promise<void> {
  const { unmailedCompanyIds } = getAlarmState(app)
  for (const companyId of unmailedCompanyIds) {
    unmailedCompanyIds.delete(companyId)
    await mailAlarm(app, companyId)
  }
}

async function mailAlarm(app: AppContext, logCompanyId: number): Promise<void> {
  const now = app.clock()
  const day = toPlainDate(app.config.timeZone, now)
  const isMailRequested = await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    if (!(await setFactOnce(db, `audit alarm ${logCompanyId} ${day}`, String(now)))) return false
    const admins = await listAlertedAdmins(db, PROVIDER)
    for (const userId of admins)
      await requestMail(db, { companyId: logCompanyId, now }, { mail: 'audit-alarm', userId, logCompanyId })
    return admins.length > 0
  })
  if (isMailRequested) notifyJobs(app)
}
