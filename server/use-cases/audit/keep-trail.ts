/** A range of the trail for a device to keep: how much it is, and the word that opens its stream. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { keepTrail, trailRange } from '#contract/audit-trail.ts'
import type { Caller } from '#domain/access.ts'
import { addDays, isDate } from '#domain/period.ts'
import { startOfDay } from '#domain/time.ts'
import type { AppContext, UseCase, UseCaseContext } from '#server/context/context.ts'
import { type LogRange, rangeOfTime } from '#server/db/audit/audit-list.ts'
import { fenceTo } from '#server/db/tenant.ts'
import { invalid } from '#server/problems/problem-error.ts'
import { openLog } from '#server/use-cases/audit/audit-trail.ts'

interface Days {
  dateFrom: string
  dateTo: string
}

/** Of a line of the stream that is not the leaf: `{"index":…,"leaf":"…"}` with its escaped quotes. */
const bytesBeside = 80

async function readRange(context: UseCaseContext, companyId: number, { dateFrom, dateTo }: Days): Promise<LogRange> {
  const wrong = Object.entries({ dateFrom, dateTo }).filter(([, day]) => !isDate(day))
  if (wrong.length > 0) throw invalid(wrong.map(([field]) => ({ field, code: 'INVALID_FORMAT' as const })))
  if (dateFrom > dateTo) throw invalid([{ field: 'dateTo', code: 'OUT_OF_RANGE' }])
  const zone = context.app.config.timeZone
  const time = { from: startOfDay(zone, dateFrom), until: startOfDay(zone, addDays(dateTo, 1)) }
  return rangeOfTime(context.db, companyId, time)
}

const shown = ({ from, to, bytes }: LogRange) => ({
  from,
  to,
  entries: to - from,
  bytes: bytes + (to - from) * bytesBeside,
})

export const range: UseCase<typeof trailRange> = async (context, { query }) => {
  const companyId = await openLog(context, query.companyId)
  return { body: shown(await readRange(context, companyId, query)) }
}

/** An export: an entry in the log that is read, like any other. */
export const keep: UseCase<typeof keepTrail> = async (context, { body }) => {
  const { caller } = context
  const companyId = await openLog(context, body.companyId)
  const found = await readRange(context, companyId, body)
  await fenceTo(context.db, caller.companyId)
  const { dateFrom, dateTo } = body
  await context.audit({
    ...logOf(caller, companyId),
    code: 'system',
    operation: 'export',
    info: { DateFrom: dateFrom, DateTo: dateTo, Entries: found.to - found.from, Format: 'device' },
  })
  return { body: { ...shown(found), company_id: companyId, keep: keepWord(context.app, caller, companyId) } }
}

/** An act on another company's log stands there. */
export const logOf = (caller: Caller, companyId: number) =>
  companyId === caller.companyId || companyId === 0 ? {} : { company: { id: companyId, actor: caller.companyCode } }

/**
 * Proves that this person began to keep this log, which was recorded; without it, a stream would be an export that nothing tells of. For
 * later entries too: each of those streams recorded anew would itself be a later entry.
 */
export function keepWord({ config }: AppContext, { userId }: Caller, companyId: number): string {
  const said = `${userId}:${companyId}`
  return createHmac('sha256', config.tokenKey).update('keep audit trail').update(said).digest('base64url')
}

export function isKeepWord(app: AppContext, caller: Caller, companyId: number, given: string): boolean {
  const [one, other] = [keepWord(app, caller, companyId), given].map((word) => Buffer.from(word))
  return one !== undefined && other !== undefined && one.length === other.length && timingSafeEqual(one, other)
}
