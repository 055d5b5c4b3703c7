import { expect, it } from 'vitest'
import { enqueue } from '#local/outbox/enqueue.ts'
import { returnToQueue } from '#local/outbox/settle.ts'
import { claim } from '#local/outbox/claim.ts'
import { freeze } from '#request/writes/record-write.ts'
import { liveMany } from '#tests/outbox-model/random.ts'
import { aDraft, keptDevice } from '#tests/support/device/device-database.ts'
import { isNight } from '#tests/support/runner/nightly.ts'

it('histories, always the same ones, keep every promise (R-01)', async () => {
  await liveMany({ seed: 1, runs: isNight ? 60 : 20 })
}, 180_000)

it('who wakes with a lost claim gives nothing back (protocol 12)', async () => {
  const { db, generation } = await keptDevice()
  const { intent } = await enqueue(db, aDraft())
  const claiming = { leaseMs: 45_000, most: 1, generation, freeze }
  const [lost] = await claim(db, { ...claiming, now: 0, stolen: false })
  await claim(db, { ...claiming, now: 46_000, stolen: true })
  if (!lost) throw new Error('nothing was claimed')
  const why = { state: 'waiting', notBefore: 0, delayedBy: null, problem: null } as const
  expect(await returnToQueue(db, lost, why)).toBe(false)
  expect(await db.outbox.get(intent)).toMatchObject({ state: 'sending' })
})
