/** Tests that data which is sealed at the end of a session names the key that opens it. */
import { expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { findSpentKeys } from '#local/seals/seal-keys.ts'
import { unseal } from '#local/outbox/unseal.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import { buildNewEntry, companyId, type TestDevice, openTestDevice } from '#tests/support/device/device-database.ts'

const ownSubject = { companyId, userId: 1 }
const companyKey = btoa('0'.repeat(32))
const buildSessionKey = (id: number) => btoa(String(id).repeat(32))

/** Returns the signed-in user as the server sends it. If `id` is null, the response is that of a server with only one key for each user. */
const buildOwnUser = (id: number | null) => ({
  seal_key: companyKey,
  ...(id === null ? {} : { session_seal_key: { id, key: buildSessionKey(id) }, seal_keys: [] }),
})
const storeOwnUser = ({ db }: TestDevice, id: number | null) =>
  db.responses.put({ path: getUser.path, body: JSON.stringify(buildOwnUser(id)), asOf: 1 })

/** Leaves one unsent write in a session with that key, signs out and signs in again. */
async function signOutAndBackIn(testDevice: TestDevice, id: number | null): Promise<void> {
  await storeOwnUser(testDevice, id)
  await enqueue(testDevice.db, buildNewEntry())
  await markSignedOut(testDevice.device)
  await openSession(testDevice.device, ownSubject)
}

it('Each seal is opened by the key that it names and by no other (protocol 30)', async () => {
  const testDevice = await openTestDevice()
  await signOutAndBackIn(testDevice, 3)
  await signOutAndBackIn(testDevice, 4)
  expect((await readSealedWrites(testDevice.db)).map(({ keyId }) => keyId).toSorted()).toEqual([3, 4])
  expect(await unseal(testDevice.db, new Map([[3, buildSessionKey(3)]]))).toBe(1)
  // Somebody who knows the key of one session cannot open another seal.
  expect(await unseal(testDevice.db, new Map([[4, buildSessionKey(3)]]))).toBe(0)
  expect(await readSealedWrites(testDevice.db)).toMatchObject([{ keyId: 4, isShut: true }])
  expect(await unseal(testDevice.db, new Map([[4, buildSessionKey(4)]]))).toBe(1)
  expect(await testDevice.db.outbox.count()).toBe(2)
})

it('A seal waits if its key was not requested yet, and is marked as shut if the server has no such key', async () => {
  const testDevice = await openTestDevice()
  await signOutAndBackIn(testDevice, 3)
  await storeOwnUser(testDevice, 4)
  expect(await unseal(testDevice.db)).toBe(0)
  expect((await readSealedWrites(testDevice.db))[0]?.isShut).toBeUndefined()
  expect(await unseal(testDevice.db, new Map([[3, null]]))).toBe(0)
  expect(await readSealedWrites(testDevice.db)).toMatchObject([{ isShut: true }])
})

it('Key 0 opens the seal of an earlier build, which has one key for each user', async () => {
  const testDevice = await openTestDevice()
  await signOutAndBackIn(testDevice, null)
  const [sealedWrite] = await readSealedWrites(testDevice.db)
  expect(sealedWrite?.keyId).toBe(0)
  const { keyId: _, ...formerRecord } = sealedWrite!
  await testDevice.db.meta.put(formerRecord)
  await storeOwnUser(testDevice, 3)
  expect(await unseal(testDevice.db)).toBe(1)
  expect(await readSealedWrites(testDevice.db)).toEqual([])
})

it('Nothing is unsealed for a user who signed out while the key was requested', async () => {
  const testDevice = await openTestDevice()
  await signOutAndBackIn(testDevice, 3)
  const sessionGeneration = await readSessionGeneration(testDevice.db)
  await markSignedOut(testDevice.device)
  expect(await unseal(testDevice.db, new Map([[3, buildSessionKey(3)]]), sessionGeneration)).toBe(0)
  await openSession(testDevice.device, ownSubject)
  expect(await unseal(testDevice.db, new Map([[3, buildSessionKey(3)]]), sessionGeneration)).toBe(0)
  expect(await testDevice.db.outbox.count()).toBe(0)
  expect(await readSealedWrites(testDevice.db)).toHaveLength(1)
})

it('Key 0 is never spent; any other key is, once all its seals are open or if it sealed nothing', async () => {
  const testDevice = await openTestDevice()
  await signOutAndBackIn(testDevice, 3)
  await signOutAndBackIn(testDevice, null)
  expect(await findSpentKeys(testDevice.db)).toEqual([])
  await unseal(testDevice.db, new Map([3, 0].map((id) => [id, id === 0 ? companyKey : buildSessionKey(id)])))
  expect(await findSpentKeys(testDevice.db)).toEqual([3])
  await testDevice.db.outbox.clear()
  await storeOwnUser(testDevice, 4)
  await markSignedOut(testDevice.device)
  expect(await readSealedWrites(testDevice.db)).toEqual([])
  expect(await findSpentKeys(testDevice.db)).toEqual([3, 4])
})

it('A sealing key is not reported as unused while data is, or may again be, sealed under it', async () => {
  const testDevice = await openTestDevice()
  await signOutAndBackIn(testDevice, 3)
  await unseal(testDevice.db, new Map([[3, buildSessionKey(3)]]))
  expect(await findSpentKeys(testDevice.db)).toEqual([3])
  await storeOwnUser(testDevice, 3)
  expect(await findSpentKeys(testDevice.db)).toEqual([])
  await signOutAndBackIn(testDevice, 3)
  expect(await findSpentKeys(testDevice.db)).toEqual([])
})
