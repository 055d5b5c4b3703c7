/** A log that was restored from a copy says so itself, in an entry that is proven; one that only claims it is one that was cut. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { canonical } from '#domain/audit-log/canonical.ts'
import { signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { leafHash } from '#domain/audit-log/hash.ts'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { appendLeaves, emptyEdge } from '#domain/audit-log/tree.ts'
import { appendEntries, putCheckpoint } from '#server/db/audit/audit-log.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { originOf, signingSeed } from '#server/use-cases/audit/log-identity.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { type Between, count, fillTrail, keeper } from '#tests/support/audit-trail/kept-trail.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import {
  behind,
  companyId,
  database,
  forged,
  house,
  kept,
  leaves,
  setUpLog,
} from '#tests/support/audit-trail/watched-log.ts'

setUpLog()

/** The entry that says that the log was restored to those entries. */
async function restoreLeaf(left: readonly string[], epoch: number): Promise<{ leaf: string }> {
  const { root } = appendLeaves(emptyEdge, left.map(leafHash))
  const entry = readLeaf((await leaves())[0] ?? '')
  const info = { Epoch: epoch, RestoredSize: left.length, RestoredRoot: toBase64(root) }
  return { leaf: canonical({ ...entry, code: 'system', operation: 'restore', info, changes: [] }) }
}
const restoredLie = (left: readonly string[], leaf: string, epoch: number, later: readonly string[] = []) =>
  saying(forged([...left, leaf, ...later], { epoch }), leaf, left.length)

/** That log, with its entry of the restore. */
const saying = (lie: ReturnType<typeof forged>, leaf: string, index: number): { between: Between } => ({
  between: async (sent, pass) => {
    const answer = await lie.between(sent, pass)
    if (!/\/systrail\?.*operation=restore/.test(sent.path)) return answer
    return { ...answer, status: 200, body: JSON.stringify({ count: 1, data: [{ leaf, log_index: index }] }) }
  },
})

/** The server's own log loses all but its first entries, as a copy that was put back would have them, and a new epoch begins. */
async function restore(size: number, epoch: number): Promise<void> {
  const { app } = house.server
  const left = (await leaves()).slice(0, size)
  const { edge, changed, root } = appendLeaves(emptyEdge, left.map(leafHash))
  await pastPolicies(app.database, async (db) => {
    await sql`delete from audit_leaf where company_id = ${companyId} and log_index >= ${size}`.execute(db)
    await sql`delete from audit_entry where company_id = ${companyId}
      and id not in (select entry_id from audit_leaf where company_id = ${companyId})`.execute(db)
    await sql`delete from audit_pending where company_id = ${companyId}`.execute(db)
    await sql`delete from audit_tile where company_id = ${companyId}`.execute(db)
    await sql`delete from audit_checkpoint where company_id = ${companyId}`.execute(db)
    await appendEntries(db, companyId, { from: size, ids: [], changed })
    const origin = originOf(app, companyId)
    const note = signCheckpoint(
      { origin, size: edge.size, root, epoch: epoch - 1 },
      { name: origin, seed: signingSeed(app) },
    )
    await putCheckpoint(db, companyId, { size, note, time: house.clock.now() }, null)
  })
  expect(await beginEpoch(app)).toEqual({ epoch, changed: [] })
  await integrate(app)
}

/** As if this device had looked no further than before. */
async function forget(tablet: Tablet): Promise<boolean> {
  const db = await database(tablet)
  const there = await db.logCheckpoints.get(companyId)
  if (!there?.alarm) return false
  await db.logCheckpoints.put({ ...there, alarm: null })
  return true
}

describe('a log that has lost entries', () => {
  it('that was restored from a copy says so, and which entries are gone, also when it has grown since', async () => {
    const { tablet } = await kept()
    await restore(500, 1)
    for (const more of [0, 300]) {
      await fillTrail(house, companyId, more, { start: house.clock.now() })
      expect(await keeper(tablet).fill(companyId)).toMatchObject({
        kind: 'alarm',
        alarm: { fault: 'RESTORED', from: 500, to: count },
      })
      expect(await forget(tablet)).toBe(true)
    }
  })

  it('that was restored twice since has lost what the deeper one took', async () => {
    const { tablet } = await kept()
    await restore(450, 1)
    await fillTrail(house, companyId, 300, { start: house.clock.now() })
    await restore(700, 2)
    expect(await keeper(tablet).fill(companyId)).toMatchObject({
      kind: 'alarm',
      alarm: { fault: 'RESTORED', from: 450, to: count },
    })
  })

  it('that only says it was restored is one that was cut or rewritten', async () => {
    const all = await leaves()
    const { leaf } = await restoreLeaf(all.slice(0, 500), 1)
    const rewritten = all.with(300, all[300]?.replace('Person', 'Nobody') ?? '')
    for (const [lie, fault, from] of [
      // The checkpoint alone says so.
      [forged(all.slice(0, 500), { epoch: 1 }), 'LOG_SHRANK', 500],
      // An entry of another epoch, or one that does not stand in the log.
      [restoredLie(all.slice(0, 500), leaf, 2), 'LOG_SHRANK', 501],
      [saying(forged(all.slice(0, 501), { epoch: 1 }), leaf, 500), 'LOG_SHRANK', 501],
      // What was left is not what it says.
      [restoredLie(rewritten.slice(0, 500), leaf, 1), 'LOG_SHRANK', 501],
      // And where it is, it is not what this device has kept.
      [
        restoredLie(rewritten.slice(0, 500), (await restoreLeaf(rewritten.slice(0, 500), 1)).leaf, 1),
        'LOG_SHRANK',
        501,
      ],
      [
        restoredLie(
          rewritten.slice(0, 500),
          (await restoreLeaf(rewritten.slice(0, 500), 1)).leaf,
          1,
          all.slice(0, 200),
        ),
        'OLD_ROOT_DIFFERS',
        300,
      ],
    ] as const) {
      const { tablet } = await kept()
      expect(await behind(tablet, lie.between, () => keeper(tablet).fill(companyId)), `${fault} ${from}`).toMatchObject(
        {
          kind: 'alarm',
          alarm: { fault, from },
        },
      )
    }
  })
})
