/** Sends writes that do not fit on the device. Their form keeps the intent, so a second click is the same write. */
import type { Intent } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { storeRow } from '#local/lists/response-store.ts'
import { buildEntryDraft, type NewEntry } from '#local/outbox/enqueue.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { resolveUnlessFull } from '#local/storage/storage-errors.ts'
import { withFile } from '#request/transport/entry-request.ts'
import { createFailure, toCallResult } from '#request/transport/call-http.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { CallResult } from '#request/call-results.ts'
import { sendExplained } from '#request/session/send-signed-in.ts'
import { isBlocked } from '#request/transport/blocked.ts'
import { isSuccess, toProblem, toResponse } from '#request/transport/send-request.ts'
import { readAcceptedWrite } from '#request/writes/apply-response.ts'
import { freeze } from '#request/writes/record-write.ts'
import { sendOutbox } from '#request/writes/sender.ts'

export interface UnstoredWrite {
  unstoredEntry: NewEntry
  db: UserDatabase
}

/** Sent requests without a response, by intent. If repeated unchanged, they use the same key and are executed once (protocol 1). */
const unansweredRequests = new Map<Intent, { key: string; input: string }>()

/** Returns `fresh` or a problem. DEVICE_FULL means that the server did not answer the write and that nothing is stored on this device. */
export async function sendUnstored(
  ports: PipelinePorts,
  { unstoredEntry, db }: UnstoredWrite,
): Promise<CallResult<unknown>> {
  const { intent, table, file, sessionGeneration } = unstoredEntry
  // Waiting entries go first, because this write must not overtake a write of the same row.
  await resolveUnlessFull(sendOutbox(ports, { immediate: true }))
  const draft = await buildEntryDraft(db, unstoredEntry)
  if (typeof draft === 'string') return createFailure(draft, intent)
  const input = JSON.stringify(draft.input)
  const previousRequest = unansweredRequests.get(intent)
  const entry = previousRequest?.input === input ? { ...draft, key: previousRequest.key } : draft
  unansweredRequests.set(intent, { key: entry.key, input })
  const frozenRequest = freeze(entry)
  const request = file ? withFile(entry, frozenRequest, file) : frozenRequest
  const response = await sendExplained(ports, request)
  if (response && isBlocked(toProblem(response))) return await toCallResult(toResponse(response), intent)
  if (!response || response.headers.get(headers.key) !== entry.key) return createFailure('DEVICE_FULL', intent)
  unansweredRequests.delete(intent)
  const { row, asOf } = readAcceptedWrite({ ports, generation: sessionGeneration ?? 0 }, response)
  if (row && isSuccess(response) && table !== '' && sessionGeneration !== undefined)
    await resolveUnlessFull(storeRow(db, table, row, { asOf, generation: sessionGeneration }))
  return await toCallResult(toResponse(response), intent)
}
