/** The walk along the logs of the audit trail (S-91), a piece a step, so that it is seen to move and can be stopped. */
import type { ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import type { verifyTrail as endpoint } from '#contract/audit-trail.ts'
import { companyById } from '#server/db/accounts/companies.ts'
import { type LogToCheck, logsToCheck } from '#server/db/audit/audit-checks.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import type { JobKind, Work } from '#server/jobs/job-kind.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { checkEntries, checkTree, findLostLogs } from '#server/use-cases/audit/check-log.ts'
import { ChangedLogError } from '#server/use-cases/audit/check-signed-edge.ts'
import { raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { readStoredNotes } from '#server/use-cases/audit/stored-notes.ts'

type Input = ParsedInputOf<typeof endpoint>['body']
type Output = OutputOf<typeof endpoint>

/** Where the walk is: everything it needs to go on after a kill. */
export interface Point {
  /** Still to be walked, the first one begun. */
  logs: LogToCheck[]
  /** The next place to look at in the first log. */
  at: number
  /** Rows there are, as counted at the start. */
  total: number
  rows: number
  companies: number
  broken: Output['broken']
  /** The store of checkpoints could not be read: nothing was compared with it. */
  isStoreUnread?: boolean
}

const maxBroken = 100

/** `most`: entries a step. */
export const verifyTrail = (most = 500): JobKind<Input, Point, Output> => ({
  // It reads and nothing else, so a step may be done twice.
  resumes: true,
  async step(work) {
    const point = work.point ?? (await begin(work))
    const [log] = point.logs
    if (!log) {
      const { companies, rows, broken, isStoreUnread } = point
      const unread = isStoreUnread ? ({ checkpoint_store: 'unreachable' } as const) : {}
      return { kind: 'done', output: { companies, rows, broken, ...unread } }
    }
    const next = await walk(work, point, log, most)
    return {
      kind: 'on',
      point: next,
      // The trail goes on growing while it is walked: a hundred is said by the end alone.
      percent: Math.min(99, Math.floor((next.rows / Math.max(next.total, 1)) * 100)),
      info: { name: log.companyCode ?? '', message: `${next.rows} / ${next.total}` },
    }
  },
})

const asSystem = { role: 'portal_system' } as const

async function begin({ app, input: { companyId } }: Work<Input, Point>): Promise<Point> {
  // What was written before somebody asked is looked at too.
  await integrate(app)
  const storedNotes = await readStoredNotes(app)
  const logs = await inTransaction(app, asSystem, async (db) => {
    if (companyId !== null && !(await companyById(db, companyId))) throw notFound()
    return logsToCheck(db, companyId)
  })
  const total = logs.reduce((sum, { rows }) => sum + rows, 0)
  const broken = findLostLogs(logs, storedNotes ?? new Map(), companyId).map((lost) => ({
    company_id: lost,
    company_code: null,
    id: 0,
  }))
  return { logs, at: 0, total, rows: 0, companies: 0, broken, isStoreUnread: storedNotes === null }
}

async function walk({ app }: Work<Input, Point>, point: Point, log: LogToCheck, most: number): Promise<Point> {
  const { companyId, companyCode } = log
  const storedNotes = await readStoredNotes(app)
  const { rows, places, broken, isOver } = await inTransaction(app, asSystem, async (db) => {
    const piece = await checkEntries(db, companyId, { from: point.at, most })
    const isOver = piece.rows < most
    const above = isOver
      ? await checkTree(app, db, companyId, { most: maxBroken, storedNote: storedNotes?.get(companyId) })
      : []
    return { rows: piece.rows, places: piece.places, broken: [...piece.broken, ...above], isOver }
  })
  const [first] = broken
  if (first !== undefined) {
    // What this job answers lies in the database until it is read: the server's log and the readers are told by the process itself.
    const place = places[0] ?? 0
    const code = places.length > 0 ? 'ENTRY_DIFFERS' : 'ROOT_DIFFERS'
    const detail = `a check was asked for and found ${broken.length}, the first of them ${first}`
    raiseLogAlarm(app, companyId, new ChangedLogError(code, detail, { from: place, to: place + 1 }))
  }
  const found = broken.map((id) => ({ company_id: companyId, company_code: companyCode, id }))
  return {
    ...point,
    logs: isOver ? point.logs.slice(1) : point.logs,
    at: isOver ? 0 : point.at + most,
    rows: point.rows + rows,
    companies: point.companies + (isOver ? 1 : 0),
    broken: [...point.broken, ...found].slice(0, maxBroken),
    isStoreUnread: point.isStoreUnread === true || storedNotes === null,
  }
}
