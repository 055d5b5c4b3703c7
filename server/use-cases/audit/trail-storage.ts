import { createHmac, timingSafeEqual } from 'node:crypto'
import type { keepTrail, trailRange } from '#contract/audit-trail.ts'
import type { Caller } from '#domain/access.ts'
import { addDays, isDate } from '#domain/plain-dates.ts'
import { getStartOfDay } from '#domain/time.ts'
import type { AppContext, UseCase, UseCaseContext } from '#server/context/context.ts'
import { type SizedLogRange, findLogRange } from '#server/db/audit/audit-list.ts'
import { setTenant } from '#server/db/tenant.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'
import { openTrail } from '#server/use-cases/audit/audit-trail.ts'

interface DayRange {
  dateFrom: string
  dateTo: string
}

/** Bytes per row of the stream in addition to the leaf: `{"index":…,"leaf":"…"}` with its escaped quotes. */
const overheadBytes = 80

async function readRange(
  context: UseCaseContext,
  companyId: number,
  { dateFrom, dateTo }: DayRange,
): Promise<SizedLogRange> {
  const invalidDays = Object.entries({ dateFrom, dateTo }).filter(([, day]) => !isDate(day))
  if (invalidDays.length > 0)
    throw createValidationProblem(invalidDays.map(([field]) => ({ field, code: 'INVALID_FORMAT' as const })))
  if (dateFrom > dateTo) throw createValidationProblem([{ field: 'dateTo', code: 'OUT_OF_RANGE' }])
  const zone = context.app.config.timeZone
  const time = { from: getStartOfDay(zone, dateFrom), until: getStartOfDay(zone, addDays(dateTo, 1)) }
  return findLogRange(context.db, companyId, time)
}

const toRangeSize = ({ from, to, bytes }: SizedLogRange) => ({
  from,
  to,
  entries: to - from,
  bytes: bytes + (to - from) * overheadBytes,
})

export const readTrailRange: UseCase<typeof trailRange> = async (context, { query }) => {
  const companyId = await openTrail(context, query.companyId)
  return { body: toRangeSize(await readRange(context, companyId, query)) }
}

/** Permits to save a range on the device. This is recorded as an export (`getActorLog`). */
export const permitTrailStorage: UseCase<typeof keepTrail> = async (context, { body }) => {
  const { caller } = context
  const companyId = await openTrail(context, body.companyId)
  const logRange = await readRange(context, companyId, body)
  await setTenant(context.db, caller.companyId)
  const { dateFrom, dateTo } = body
  await context.audit({
    ...getActorLog(caller, companyId),
    code: 'system',
    operation: 'export',
    info: { DateFrom: dateFrom, DateTo: dateTo, Entries: logRange.to - logRange.from, Format: 'device' },
  })
  return {
    body: { ...toRangeSize(logRange), company_id: companyId, keep: createStorageToken(context.app, caller, companyId) },
  }
}

/** Returns the log for an audit entry. An action on another company's log is recorded in that log, an action on log 0 in the caller's. */
export const getActorLog = (caller: Caller, companyId: number) =>
  companyId === caller.companyId || companyId === 0 ? {} : { company: { id: companyId, actor: caller.companyCode } }

/**
 * Returns a token that proves that saving this log was recorded for this user. Without the token, a stream would be an export without an
 * audit entry. It is valid for later entries too, because recording each stream would itself create an entry.
 */
export function createStorageToken({ config }: AppContext, { userId }: Caller, companyId: number): string {
  const signedText = `${userId}:${companyId}`
  return createHmac('sha256', config.tokenKey).update('keep audit trail').update(signedText).digest('base64url')
}

export function isStorageToken(app: AppContext, caller: Caller, companyId: number, token: string): boolean {
  const [expectedBytes, tokenBytes] = [createStorageToken(app, caller, companyId), token].map((text) =>
    Buffer.from(text),
  )
  return (
    expectedBytes !== undefined &&
    tokenBytes !== undefined &&
    expectedBytes.length === tokenBytes.length &&
    timingSafeEqual(expectedBytes, tokenBytes)
  )
}
