/**
 * Builds the request of an outbox entry. A form with a file is built again for each attempt, from the data stored on the device (protocol
 * 22).
 */
import { findEndpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { getRequest } from '#contract/requests.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { FrozenRequest, OutboxEntry, LocalFile } from '#local/storage/records.ts'
import type { RequestData } from '#request/transport/send-request.ts'

/** Returns the request of this entry, or null if the file's bytes are no longer stored. */
export async function buildEntryRequest(db: UserDatabase, entry: OutboxEntry): Promise<RequestData | null> {
  const { bytes } = entry
  if (!bytes || findEndpoint(entry.endpoint)?.encoding !== 'multipart') return bytes
  const file = await db.files.get(entry.intent)
  return file ? withFile(entry, bytes, file) : null
}

/** Time in seconds from which on a user may have forgotten a waiting write. */
const lateSeconds = 60

/** Returns the header that makes the server notify the user if it refuses this write. Empty for a write that was just made. */
export function buildWaitedHeader({ since }: Pick<OutboxEntry, 'since'>, now: number): Record<string, string> {
  const seconds = Math.floor((now - since) / 1000)
  return seconds < lateSeconds ? {} : { [headers.waited]: String(seconds) }
}

/**
 * Builds a request that reads the outcome of an intent (GET) or voids it (DELETE). It names the user, so that no other user's token is used
 * (protocol 10).
 */
export const buildIntentRequest = (
  method: 'GET' | 'DELETE',
  { intent, forUser }: Pick<OutboxEntry, 'intent' | 'forUser'>,
): RequestData => ({
  method,
  path: toHttpRequest(getRequest, { params: { id: `~${intent}` } }).path,
  headers: { [headers.forUser]: forUser },
  body: null,
})

type FilePart = Omit<LocalFile, 'intent' | 'assetId'>

export function withFile({ input }: Pick<OutboxEntry, 'input'>, bytes: FrozenRequest, file: FilePart): RequestData {
  // Entries of older builds contain a boundary, but the browser creates a new one.
  const { 'content-type': _, ...otherHeaders } = bytes.headers
  return { ...bytes, headers: otherHeaders, body: buildForm((input.body ?? {}) as Record<string, unknown>, file) }
}

function buildForm(fields: Record<string, unknown>, { field, name, type, bytes }: FilePart): FormData {
  const form = new FormData()
  for (const [fieldName, value] of Object.entries(fields)) form.append(fieldName, String(value))
  form.append(field, new File([bytes], name, { type }))
  return form
}
