/**
 * Tests logs that were restored from a backup. Such a log has a proven entry about the restore. A log that only claims a restore is
 * reported as cut off or rewritten.
 */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import { signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { appendLeaves, emptyEdge } from '#domain/audit-log/tree-edge.ts'
import { appendEntries, storeCheckpoint } from '#server/db/audit/audit-log.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { getLogOrigin, getSigningSeed } from '#server/use-cases/audit/log-identity.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import {
  type RequestInterceptor,
  entryCount,
  fillTrail,
  createStoredTrailActions,
} from '#tests/support/audit-trail/stored-trail.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import {
  withInterceptor,
  companyId,
  openUserDatabase,
  forgeLog,
  installation,
  signInWithStoredTrail,
  readLeaves,
  setUpLog,
} from '#tests/support/audit-trail/watched-log.ts'

setUpLog()

/** Builds the entry about a restore of the log to these entries. */
async function buildRestoreLeaf(remainingLeaves: readonly string[], epoch: number): Promise<{ leaf: string }> {
  const { root } = appendLeaves(emptyEdge, remainingLeaves.map(hashLeaf))
  const entry = readLeaf((await readLeaves())[0] ?? '')
  const info = { Epoch: epoch, RestoredSize: remainingLeaves.length, RestoredRoot: toBase64(root) }
  return { leaf: toCanonicalJson({ ...entry, code: 'system', operation: 'restore', info, changes: [] }) }
}
const forgeRestoredLog = (
  remainingLeaves: readonly string[],
  leaf: string,
  epoch: number,
  laterLeaves: readonly string[] = [],
) =>
  interceptRestoreEntry(forgeLog([...remainingLeaves, leaf, ...laterLeaves], { epoch }), leaf, remainingLeaves.length)

/** Sends the forged log, and the given entry when the device requests the entry about the restore. */
const interceptRestoreEntry = (
  forgedLog: ReturnType<typeof forgeLog>,
  leaf: string,
  index: number,
): { intercept: RequestInterceptor } => ({
  intercept: async (request, forward) => {
    const response = await forgedLog.intercept(request, forward)
    if (!/\/systrail\?.*operation=restore/.test(request.path)) return response
    return { ...response, status: 200, body: JSON.stringify({ count: 1, data: [{ leaf, log_index: index }] }) }
  },
})

/** Removes all but the first entries of the server's log, as a restored backup would, and starts a new epoch. */
async function restoreLog(size: number, epoch: number): Promise<void> {
  const { app } = installation.server
  const remainingLeaves = (await readLeaves()).slice(0, size)
  const { edge, changedTiles, root } = appendLeaves(emptyEdge, remainingLeaves.map(hashLeaf))
  await bypassPolicies(app.database, async (db) => {
    await sql`delete from audit_leaf where company_id = ${companyId} and log_index >= ${size}`.execute(db)
    await sql`delete from audit_entry where company_id = ${companyId}
      and id not in (select entry_id from audit_leaf where company_id = ${companyId})`.execute(db)
    await sql`delete from audit_pending where company_id = ${companyId}`.execute(db)
    await sql`delete from audit_tile where company_id = ${companyId}`.execute(db)
    await sql`delete from audit_checkpoint where company_id = ${companyId}`.execute(db)
    await appendEntries(db, companyId, { from: size, ids: [], changedTiles })
    const origin = getLogOrigin(app, companyId)
    const note = signCheckpoint(
      { origin, size: edge.size, root, epoch: epoch - 1 },
      { name: origin, seed: getSigningSeed(app) },
    )
    await storeCheckpoint(db, companyId, { size, note, time: installation.clock.now() }, null)
  })
  expect(await beginEpoch(app)).toEqual({ epoch, changedCompanyIds: [] })
  await integrate(app)
}

/** Clears the alarm, as if this device had not checked the log since the restore. */
async function clearAlarm(tablet: Tablet): Promise<boolean> {
  const db = await openUserDatabase(tablet)
  const checkpoint = await db.logCheckpoints.get(companyId)
  if (!checkpoint?.alarm) return false
  await db.logCheckpoints.put({ ...checkpoint, alarm: null })
  return true
}

describe('a log that lost entries', () => {
  it('is reported as restored, with the lost entries, even after it has grown', async () => {
    const { tablet } = await signInWithStoredTrail()
    await restoreLog(500, 1)
    for (const addedCount of [0, 300]) {
      await fillTrail(installation, companyId, addedCount, { startAt: installation.clock.now() })
      expect(await createStoredTrailActions(tablet).fill(companyId)).toMatchObject({
        kind: 'alarm',
        alarm: { fault: 'RESTORED', from: 500, to: entryCount },
      })
      expect(await clearAlarm(tablet)).toBe(true)
    }
  })

  it('is reported from the lowest entry to which any of its restores went back', async () => {
    const { tablet } = await signInWithStoredTrail()
    await restoreLog(450, 1)
    await fillTrail(installation, companyId, 300, { startAt: installation.clock.now() })
    await restoreLog(700, 2)
    expect(await createStoredTrailActions(tablet).fill(companyId)).toMatchObject({
      kind: 'alarm',
      alarm: { fault: 'RESTORED', from: 450, to: entryCount },
    })
  })

  it('is reported as cut or rewritten if it only claims to be restored', async () => {
    const leaves = await readLeaves()
    const { leaf } = await buildRestoreLeaf(leaves.slice(0, 500), 1)
    const rewrittenLeaves = leaves.with(300, leaves[300]?.replace('Person', 'Nobody') ?? '')
    for (const [forgedLog, fault, from] of [
      // Only the checkpoint claims a restore, and there is no entry about it.
      [forgeLog(leaves.slice(0, 500), { epoch: 1 }), 'LOG_SHRANK', 500],
      // The entry about the restore is of another epoch, or is not in the log.
      [forgeRestoredLog(leaves.slice(0, 500), leaf, 2), 'LOG_SHRANK', 501],
      [interceptRestoreEntry(forgeLog(leaves.slice(0, 501), { epoch: 1 }), leaf, 500), 'LOG_SHRANK', 501],
      // The remaining entries do not have the root that the entry names.
      [forgeRestoredLog(rewrittenLeaves.slice(0, 500), leaf, 1), 'LOG_SHRANK', 501],
      // The remaining entries have that root, but differ from those that this device has stored.
      [
        forgeRestoredLog(
          rewrittenLeaves.slice(0, 500),
          (await buildRestoreLeaf(rewrittenLeaves.slice(0, 500), 1)).leaf,
          1,
        ),
        'LOG_SHRANK',
        501,
      ],
      [
        forgeRestoredLog(
          rewrittenLeaves.slice(0, 500),
          (await buildRestoreLeaf(rewrittenLeaves.slice(0, 500), 1)).leaf,
          1,
          leaves.slice(0, 200),
        ),
        'OLD_ROOT_DIFFERS',
        300,
      ],
    ] as const) {
      const { tablet } = await signInWithStoredTrail()
      expect(
        await withInterceptor(tablet, forgedLog.intercept, () => createStoredTrailActions(tablet).fill(companyId)),
        `${fault} ${from}`,
      ).toMatchObject({
        kind: 'alarm',
        alarm: { fault, from },
      })
    }
  })
})
