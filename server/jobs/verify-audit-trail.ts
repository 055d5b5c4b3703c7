/** Verifies the logs of the audit trail in pieces (S-91), so that the job shows progress and can continue after an interruption. */
import type { ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import type { verifyTrail as endpoint } from '#contract/audit-trail.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { type AuditLogSummary, listLogsToCheck } from '#server/db/audit/audit-checks.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import type { JobKind, JobContext } from '#server/jobs/job-kind.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { checkEntries, checkTree, findLostLogCompanies } from '#server/use-cases/audit/check-log.ts'
import { ChangedLogError } from '#server/use-cases/audit/check-signed-edge.ts'
import { raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { readStoredNotes } from '#server/use-cases/audit/stored-notes.ts'

type VerificationInput = ParsedInputOf<typeof endpoint>['body']
type VerificationOutput = OutputOf<typeof endpoint>

export interface VerificationPoint {
  /** Logs that are not checked completely. The first one is in progress. */
  logs: AuditLogSummary[]
  /** The next log index to check in the first log. */
  at: number
  total: number
  rows: number
  companies: number
  broken: VerificationOutput['broken']
  /** Set if the checkpoint store could not be read, so that some logs were not compared with it. */
  isStoreUnread?: boolean
}

const maxBroken = 100

export const createTrailVerificationJob = (
  maxEntries = 500,
): JobKind<VerificationInput, VerificationPoint, VerificationOutput> => ({
  // A step changes no log, so it may be repeated.
  isResumable: true,
  async step(context) {
    const point = context.point ?? (await createStartPoint(context))
    const [log] = point.logs
    if (!log) {
      const { companies, rows, broken, isStoreUnread } = point
      const storeState = isStoreUnread ? ({ checkpoint_store: 'unreachable' } as const) : {}
      return { kind: 'done', output: { companies, rows, broken, ...storeState } }
    }
    const nextPoint = await checkLog(context, point, log, maxEntries)
    return {
      kind: 'on',
      point: nextPoint,
      // The trail grows during the check, so 100 % is only reported at the end.
      percent: Math.min(99, Math.floor((nextPoint.rows / Math.max(nextPoint.total, 1)) * 100)),
      info: { name: log.companyCode ?? '', message: `${nextPoint.rows} / ${nextPoint.total}` },
    }
  },
})

async function createStartPoint({
  app,
  input: { companyId },
}: JobContext<VerificationInput, VerificationPoint>): Promise<VerificationPoint> {
  // Adds waiting entries to the logs, so that all entries written before the request are checked.
  await integrate(app)
  const storedNotes = await readStoredNotes(app)
  const logs = await writeAsSystem(app, async (db) => {
    if (companyId !== null && !(await findCompanyById(db, companyId))) throw createNotFoundProblem()
    return listLogsToCheck(db, companyId)
  })
  const total = logs.reduce((sum, { rows }) => sum + rows, 0)
  const broken = findLostLogCompanies(logs, storedNotes ?? new Map(), companyId).map((lostCompanyId) => ({
    company_id: lostCompanyId,
    company_code: null,
    id: 0,
  }))
  return { logs, at: 0, total, rows: 0, companies: 0, broken, isStoreUnread: storedNotes === null }
}

async function checkLog(
  { app }: JobContext<VerificationInput, VerificationPoint>,
  point: VerificationPoint,
  log: AuditLogSummary,
  maxEntries: number,
): Promise<VerificationPoint> {
  const { companyId, companyCode } = log
  const storedNotes = await readStoredNotes(app)
  const {
    rows,
    brokenIndexes,
    brokenIds,
    isOver: isLogComplete,
  } = await writeAsSystem(app, async (db) => {
    const entryCheck = await checkEntries(db, companyId, { from: point.at, limit: maxEntries })
    const isLogComplete = entryCheck.rows < maxEntries
    const treeFaults = isLogComplete
      ? await checkTree(app, db, companyId, { maxBroken, storedNote: storedNotes?.get(companyId) })
      : []
    return {
      rows: entryCheck.rows,
      brokenIndexes: entryCheck.brokenIndexes,
      brokenIds: [...entryCheck.brokenIds, ...treeFaults],
      isOver: isLogComplete,
    }
  })
  const [firstBrokenId] = brokenIds
  if (firstBrokenId !== undefined) {
    // Only the caller gets the result of this job. The alarm also informs the operator and the readers of the trail.
    const logIndex = brokenIndexes[0] ?? 0
    const code = brokenIndexes.length > 0 ? 'ENTRY_DIFFERS' : 'ROOT_DIFFERS'
    const detail = `a requested check found ${brokenIds.length} broken entries, the first is ${firstBrokenId}`
    raiseLogAlarm(app, companyId, new ChangedLogError(code, detail, { from: logIndex, to: logIndex + 1 }))
  }
  const newBroken = brokenIds.map((id) => ({ company_id: companyId, company_code: companyCode, id }))
  return {
    ...point,
    logs: isLogComplete ? point.logs.slice(1) : point.logs,
    at: isLogComplete ? 0 : point.at + maxEntries,
    rows: point.rows + rows,
    companies: point.companies + (isLogComplete ? 1 : 0),
    broken: [...point.broken, ...newBroken].slice(0, maxBroken),
    isStoreUnread: point.isStoreUnread === true || storedNotes === null,
  }
}
