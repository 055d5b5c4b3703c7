/** Stores and mails alarms about manipulated logs. This process signs no entries of such a log until a complete check finds no fault. */
import { randomUUID } from 'node:crypto'
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
  /** Identifies this process in the messages to other nodes. */
  sender: string
  byCompany: Map<number, AuditLogAlarm>
  unmailedCompanyIds: Set<number>
}

const states = new WeakMap<AppContext, AlarmState>()

function getAlarmState(app: AppContext): AlarmState {
  const state = states.get(app) ?? { sender: randomUUID(), byCompany: new Map(), unmailedCompanyIds: new Set() }
  states.set(app, state)
  return state
}

export const getLogAlarm = (app: AppContext, companyId: number): AuditLogAlarm | null =>
  getAlarmState(app).byCompany.get(companyId) ?? null

export const listLogAlarms = (app: AppContext): ReadonlyMap<number, AuditLogAlarm> => getAlarmState(app).byCompany

export function clearLogAlarm(app: AppContext, companyId: number): void {
  if (getAlarmState(app).byCompany.delete(companyId)) announceAlarm(app, companyId, null)
}

interface AlarmMessage {
  sender: string
  companyId: number
  /** Null: a complete check found no fault. */
  alarm: AuditLogAlarm | null
}

const alarmsChannel = 'portal_audit_alarms'

/** If the message is lost, the other nodes learn of the alarm from the next one, or from their own daily check. */
function announceAlarm(app: AppContext, companyId: number, alarm: AuditLogAlarm | null): void {
  const message: AlarmMessage = { sender: getAlarmState(app).sender, companyId, alarm }
  app.database.announce(alarmsChannel, JSON.stringify(message)).catch(() => undefined)
}

/** One node adds the entries to the logs, but each node shows the alarms. Returns a stop function. */
export function shareLogAlarms(app: AppContext): () => Promise<void> {
  const unsubscribe = app.database.listen(alarmsChannel, (text) => {
    const { sender, companyId, alarm } = JSON.parse(text) as AlarmMessage
    const state = getAlarmState(app)
    // An own message may arrive after the alarm was cleared.
    if (sender === state.sender) return
    if (alarm === null) state.byCompany.delete(companyId)
    else if (!state.byCompany.has(companyId)) state.byCompany.set(companyId, alarm)
  })
  return async () => unsubscribe()
}

/** Stores the alarm and writes it to the server's log. `mailLogAlarms` sends the mail. */
export function raiseLogAlarm(app: AppContext, companyId: number, { code, message, from, to }: ChangedLogError): void {
  const state = getAlarmState(app)
  state.byCompany.set(companyId, { fault: code, from, to })
  if (!isDueToLog(app, `changed ${companyId}`)) return
  state.unmailedCompanyIds.add(companyId)
  announceAlarm(app, companyId, { fault: code, from, to })
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
