/**
 * Writes for which the device has no room: sent at once under their own key, as long as there is somebody to take them.
 * The form that sent one keeps its intent, so that pressing again is the same wish.
 */
import type { Intent } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { type LocalCode, localProblem } from '#contract/problem.ts'
import { storeRow } from '#local/lists/response-store.ts'
import { draftEntry, type NewEntry } from '#local/outbox/enqueue.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { unlessFull } from '#local/storage/storage-errors.ts'
import { withFile } from '#request/transport/multipart.ts'
import { toResult } from '#request/transport/http.ts'
import type { Ports } from '#request/ports.ts'
import type { Result } from '#request/results.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { isBlocked, sendOrExplain } from '#request/transport/blocked.ts'
import { isGood, problemOf, toResponse } from '#request/transport/transport.ts'
import { acceptedFrom } from '#request/writes/apply-response.ts'
import { freeze } from '#request/writes/record-write.ts'
import { sendOutbox } from '#request/writes/sender.ts'

export interface Unstored {
  unstored: NewEntry
  db: UserDatabase
}

/** What was sent and never answered, by its intent: pressed again unchanged it goes under the same key, and is done once (protocol 1). */
const unanswered = new Map<Intent, { key: string; input: string }>()

/** `fresh` or a problem; DEVICE_FULL: nobody answered, and nothing of it is on this device. */
export async function sendUnstored(ports: Ports, { unstored, db }: Unstored): Promise<Result<unknown>> {
  const { intent, table, file, gate } = unstored
  const failed = (code: LocalCode): Result<unknown> => ({ kind: 'problem', problem: localProblem(code), intent })
  // What waits goes first: this one must not overtake a write of the same row.
  await unlessFull(sendOutbox(ports, { hurry: true }))
  const draft = await draftEntry(db, unstored)
  if (typeof draft === 'string') return failed(draft)
  const input = JSON.stringify(draft.input)
  const before = unanswered.get(intent)
  const entry = before?.input === input ? { ...draft, key: before.key } : draft
  unanswered.set(intent, { key: entry.key, input })
  const bytes = freeze(entry)
  const request = file ? withFile(entry, bytes, file) : bytes
  const answer = await sendOrExplain(ports, request, (one) => sendSignedIn(ports, one))
  if (answer && isBlocked(problemOf(answer))) return await toResult(toResponse(answer), intent)
  if (!answer || answer.headers.get(headers.key) !== entry.key) return failed('DEVICE_FULL')
  unanswered.delete(intent)
  const { row, asOf } = acceptedFrom(ports, { answer, generation: gate ?? 0 })
  if (row && isGood(answer) && table !== '' && gate !== undefined)
    await unlessFull(storeRow(db, table, row, { asOf, generation: gate }))
  return await toResult(toResponse(answer), intent)
}
