/** What the device proves entries by: the signed checkpoint and the hashes of the tree. */
import type { trailCheckpoint, trailTile } from '#contract/audit-trail.ts'
import { toBase64 } from '#domain/audit-log/base64.ts'
import type { Service } from '#server/context.ts'
import { countPending, newestCheckpoint, tileOf } from '#server/db/audit/audit-log.ts'
import { notFound } from '#server/problem-error.ts'
import { openLog } from '#server/services/audit/audit-trail.ts'
import { keyOf } from '#server/services/audit/log-identity.ts'

export const checkpoint: Service<typeof trailCheckpoint> = async (context, { query }) => {
  const companyId = await openLog(context, query.companyId)
  const { db, app } = context
  // Before the checkpoint: what finds its place in between is then in both, and never in neither.
  const pending = await countPending(db, companyId)
  const newest = await newestCheckpoint(db, companyId)
  const note = newest?.note ?? null
  return { body: { note, key: keyOf(app, companyId, note), pending } }
}

/** Throws NOT_FOUND where the log is not that large. */
export const tile: Service<typeof trailTile> = async (context, { params, query }) => {
  const companyId = await openLog(context, query.companyId)
  const hashes = await tileOf(context.db, companyId, Number(params.level), Number(params.index))
  if (!hashes) throw notFound()
  return { body: { hashes: toBase64(hashes) } }
}
