import { expect, it } from 'vitest'
import { enqueue } from '#local/outbox/enqueue.ts'
import { returnToQueue } from '#local/outbox/settle-entry.ts'
import { claimEntries } from '#local/outbox/claim.ts'
import { freeze } from '#request/writes/record-write.ts'
import { runRandomSimulations } from '#tests/outbox-model/random.ts'
import { buildNewEntry, openTestDevice } from '#tests/support/device/device-database.ts'
import { isNight } from '#tests/support/runner/nightly.ts'

it('The outbox breaks no rule of the protocol in random histories with a fixed seed (R-01)', async () => {
  await runRandomSimulations({ seed: 1, runs: isNight ? 60 : 20 })
}, 180_000)

it('A sender that wakes up after it has lost its claim cannot return the entry to the queue (protocol 12)', async () => {
  const { db, generation } = await openTestDevice()
  const { intent } = await enqueue(db, buildNewEntry())
  const claimOptions = { leaseMs: 45_000, maxEntries: 1, generation, freezeRequest: freeze }
  const [lostEntry] = await claimEntries(db, { ...claimOptions, now: 0, isLockStolen: false })
  await claimEntries(db, { ...claimOptions, now: 46_000, isLockStolen: true })
  if (!lostEntry) throw new Error('nothing was claimed')
  const release = { state: 'waiting', notBefore: 0, delayedBy: null, problem: null } as const
  expect(await returnToQueue(db, lostEntry, release)).toBe(false)
  expect(await db.outbox.get(intent)).toMatchObject({ state: 'sending' })
})
