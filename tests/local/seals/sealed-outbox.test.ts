/** What the end of a session seals names the key that opens it. */
import { expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { spentKeys } from '#local/seals/seal-keys.ts'
import { unseal } from '#local/outbox/unseal.ts'
import { sealsIn } from '#local/seals/sealed-records.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import { aDraft, company, type Kept, keptDevice } from '#tests/support/device/device-database.ts'

const me = { companyId: company, userId: 1 }
const first = btoa('0'.repeat(32))
const keyOf = (id: number) => btoa(String(id).repeat(32))

/** What the server says of oneself; null: as a server did that knew one key for each user. */
const saidOf = (id: number | null) => ({
  seal_key: first,
  ...(id === null ? {} : { session_seal_key: { id, key: keyOf(id) }, seal_keys: [] }),
})
const read = ({ db }: Kept, id: number | null) =>
  db.responses.put({ path: getUser.path, body: JSON.stringify(saidOf(id)), asOf: 1 })

/** Leaves one write unsent in a session with that key, and comes back. */
async function leave(kept: Kept, id: number | null): Promise<void> {
  await read(kept, id)
  await enqueue(kept.db, aDraft())
  await markSignedOut(kept.device)
  await openSession(kept.device, me)
}

it('each seal is opened by the key that it names and by no other (protocol 30)', async () => {
  const kept = await keptDevice()
  await leave(kept, 3)
  await leave(kept, 4)
  expect((await sealsIn(kept.db)).map(({ keyId }) => keyId).toSorted()).toEqual([3, 4])
  expect(await unseal(kept.db, new Map([[3, keyOf(3)]]))).toBe(1)
  // Whoever learned the key of one session has nothing of another.
  expect(await unseal(kept.db, new Map([[4, keyOf(3)]]))).toBe(0)
  expect(await sealsIn(kept.db)).toMatchObject([{ keyId: 4, isShut: true }])
  expect(await unseal(kept.db, new Map([[4, keyOf(4)]]))).toBe(1)
  expect(await kept.db.outbox.count()).toBe(2)
})

it('a key that nobody has asked for leaves its seal to be waited for; one that is gone does not', async () => {
  const kept = await keptDevice()
  await leave(kept, 3)
  await read(kept, 4)
  expect(await unseal(kept.db)).toBe(0)
  expect((await sealsIn(kept.db))[0]?.isShut).toBeUndefined()
  expect(await unseal(kept.db, new Map([[3, null]]))).toBe(0)
  expect(await sealsIn(kept.db)).toMatchObject([{ isShut: true }])
})

it('what a build sealed that knew one key for each user is opened by key 0', async () => {
  const kept = await keptDevice()
  await leave(kept, null)
  const [sealed] = await sealsIn(kept.db)
  expect(sealed?.keyId).toBe(0)
  const { keyId: _, ...asThen } = sealed!
  await kept.db.meta.put(asThen)
  await read(kept, 3)
  expect(await unseal(kept.db)).toBe(1)
  expect(await sealsIn(kept.db)).toEqual([])
})

it('nothing comes back to a user who has gone again while the key was on its way', async () => {
  const kept = await keptDevice()
  await leave(kept, 3)
  const asked = await readGate(kept.db)
  await markSignedOut(kept.device)
  expect(await unseal(kept.db, new Map([[3, keyOf(3)]]), asked)).toBe(0)
  await openSession(kept.device, me)
  expect(await unseal(kept.db, new Map([[3, keyOf(3)]]), asked)).toBe(0)
  expect(await kept.db.outbox.count()).toBe(0)
  expect(await sealsIn(kept.db)).toHaveLength(1)
})

it('a key is spent once all that it sealed is open, or when nothing was to be sealed; key 0 never', async () => {
  const kept = await keptDevice()
  await leave(kept, 3)
  await leave(kept, null)
  expect(await spentKeys(kept.db)).toEqual([])
  await unseal(kept.db, new Map([3, 0].map((id) => [id, id === 0 ? first : keyOf(id)])))
  expect(await spentKeys(kept.db)).toEqual([3])
  await kept.db.outbox.clear()
  await read(kept, 4)
  await markSignedOut(kept.device)
  expect(await sealsIn(kept.db)).toEqual([])
  expect(await spentKeys(kept.db)).toEqual([3, 4])
})

it('a key under which something is, or may be, sealed again is not spent any more', async () => {
  const kept = await keptDevice()
  await leave(kept, 3)
  await unseal(kept.db, new Map([[3, keyOf(3)]]))
  expect(await spentKeys(kept.db)).toEqual([3])
  await read(kept, 3)
  expect(await spentKeys(kept.db)).toEqual([])
  await leave(kept, 3)
  expect(await spentKeys(kept.db)).toEqual([])
})
