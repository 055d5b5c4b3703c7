/** Stores the last weeks of the audit trail, as if the user had chosen them. Continues a range that is stored. */
import { getSettings } from '#contract/accounts.ts'
import { keepTrail, trailRange } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { addDays } from '#domain/plain-dates.ts'
import { toPlainDate } from '#domain/time.ts'
import { toListId } from '#local/storage/list-ids.ts'
import { fetchTrail, TrailProblem } from '#request/audit-trail/fetch-trail.ts'
import { startStoredTrail, fillStoredTrail } from '#request/audit-trail/store-trail.ts'
import { type PartReader, RunEndedError } from '#request/preparation/part-reader.ts'
import type { StoreTrailResult } from '#request/call-results.ts'

const preparedDays = 28

/** `requireSpace` throws if fewer bytes are free. */
export async function prepareTrail(reader: PartReader, requireSpace: (bytes: number) => Promise<void>): Promise<void> {
  const { guard, ports, signal } = reader
  const { db, subject } = guard
  const { companyId } = subject
  if (!(await db.storedTrails.get(companyId))) {
    const problem = await beginRange(reader, requireSpace)
    if (problem) return noteProblem(reader, problem)
  }
  const result = await fillStoredTrail(ports, companyId, {
    onProgress: reader.onProgress,
    ...(signal ? { signal } : {}),
  })
  reader.noteBytes((await db.listStats.get(toListId('trail', companyId)))?.bytes ?? 0)
  const problem = getProblem(result)
  if (problem) noteProblem(reader, problem)
}

async function beginRange(reader: PartReader, requireSpace: (bytes: number) => Promise<void>): Promise<Problem | null> {
  const { guard, ports, now } = reader
  const settings = await guard.db.responses.get(toHttpRequest(getSettings, {}).path)
  const { time_zone: zone } = settings
    ? (JSON.parse(settings.body) as OutputOf<typeof getSettings>)
    : { time_zone: 'UTC' }
  const dateTo = toPlainDate(zone, now())
  const days = { dateFrom: addDays(dateTo, 1 - preparedDays), dateTo }
  try {
    const { body: rangeSize } = await fetchTrail(reader, trailRange, { query: days })
    await requireSpace(rangeSize.bytes * bytesOnDevice)
    const { body: openedRange } = await fetchTrail(reader, keepTrail, { body: { companyId: null, ...days } })
    // A range follows the log if `today` is not after its last day, so `today` is taken from the time zone where the day ends last.
    return getProblem(await startStoredTrail(ports, { ...days, today: toPlainDate('Etc/GMT+12', now()) }, openedRange))
  } catch (error) {
    if (error instanceof TrailProblem) return error.problem
    throw error
  }
}

/** Ratio of the bytes on the device (leaves, search texts and index) to the bytes of the log. */
const bytesOnDevice = 2

function getProblem(result: StoreTrailResult): Problem | null {
  if (result.kind === 'paused') throw new RunEndedError({ kind: 'stopped' })
  if (result.kind === 'gone') throw new RunEndedError({ kind: 'gone' })
  if (result.kind === 'problem') return result.problem
  // The page of the audit trail shows what is wrong with the log.
  return result.kind === 'refused' || result.kind === 'alarm' ? createLocalProblem('UNREADABLE_ANSWER') : null
}

function noteProblem(reader: PartReader, problem: Problem): void {
  if (problem.code === 'OFFLINE') throw new RunEndedError({ kind: 'problem', problem })
  if (problem.code === 'STORAGE_FAILED') throw new RunEndedError({ kind: 'no space', free: null, needed: 0 })
  reader.noteProblem(problem)
}
