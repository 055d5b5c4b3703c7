import { expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { claimEntries } from '#local/outbox/claim.ts'
import { unseal } from '#local/outbox/unseal.ts'
import type { SealedWrites } from '#local/storage/records.ts'
import { freeze } from '#request/writes/record-write.ts'
import type { ModelAction } from '#tests/outbox-model/model-actions.ts'
import { runSimulation } from '#tests/outbox-model/run-simulation.ts'
import { buildNewEntry, openTestDevice } from '#tests/support/device/device-database.ts'

const changeAction: ModelAction = { kind: 'change', tab: 0, at: 0, word: 'good', field: 'name', hasBase: false }

/**
 * The response to the list shows which user the cookie belongs to. So the user is signed in again, but has not fetched the key of the seal
 * yet.
 */
it('Writes that were sealed at the end of a session are sent first (protocol 30, requirement 14)', async () => {
  const { effects } = await runSimulation([
    { kind: 'revoke' },
    changeAction,
    { kind: 'list', tab: 0 },
    changeAction,
    changeAction,
  ])
  expect(effects).toBe(3)
})

/** The server asks the form for a confirmation. The write is sealed when the form is sent again with other values. */
it('A form sent again while its write is sealed uses the same intent under a key of its own (protocol 1, 2)', async () => {
  const questionAction: ModelAction = { ...changeAction, word: 'ask' }
  const { effects } = await runSimulation([
    questionAction,
    { kind: 'revoke' },
    { kind: 'create', tab: 0, word: 'good' },
    { kind: 'list', tab: 0 },
    { kind: 'line', state: 'hanging' },
    { kind: 'again', tab: 0 },
  ])
  expect(effects).toBe(2)
})

const seal: SealedWrites = { name: 'sealed:1', id: '1', iv: new Uint8Array(12), data: new ArrayBuffer(32), entries: 1 }

async function openSealedDevice() {
  const { db, generation } = await openTestDevice()
  await db.meta.put(seal)
  await enqueue(db, buildNewEntry())
  const claimOptions = {
    now: 0,
    leaseMs: 45_000,
    maxEntries: 50,
    isChained: true,
    generation,
    isLockStolen: false,
    freezeRequest: freeze,
  }
  return { db, countClaimed: async () => (await claimEntries(db, claimOptions)).length }
}

it('No newer write is sent while older writes are sealed and their key is unknown', async () => {
  const { db, countClaimed } = await openSealedDevice()
  expect(await unseal(db)).toBe(0)
  expect(await countClaimed()).toBe(0)
})

it("A seal that its user's key does not open stays, and delays no other write", async () => {
  const { db, countClaimed } = await openSealedDevice()
  const body = JSON.stringify({ seal_key: btoa('x'.repeat(32)) })
  await db.responses.put({ path: getUser.path, body, asOf: 0 })
  expect(await unseal(db)).toBe(0)
  expect(await db.meta.get(seal.name)).toBeDefined()
  expect(await countClaimed()).toBe(1)
})
