/** The keys of older sessions are asked for, used and given back to be deleted, whatever the line and the server do. */
import { beforeEach, expect, it } from 'vitest'
import { deleteSealKeys } from '#contract/accounts.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { sealsIn } from '#local/seals/sealed-records.ts'
import { createClock, createTablet, type Sent, type Tablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted, refusal, type Scripted } from '#tests/support/device/scripted.ts'

let server: Scripted
let tablet: Tablet
beforeEach(async () => {
  const clock = createClock()
  server = createScripted(clock, { seals: true })
  tablet = createTablet((sent) => server.answer(sent), clock)
  await come()
})

const come = async () => {
  expect((await tablet.signIn('acme', 'user1@acme.example')).kind).toBe('fresh')
  await tablet.rest()
}
const db = () => tablet.device.of({ companyId: company, userId: 1 })
const isForKeys = ({ path }: Sent) => path.includes('?seals=')
const isDeletion = ({ path }: Sent) => path.startsWith(deleteSealKeys.path)
const sent = (what: (sent: Sent) => boolean) => tablet.line.log.filter((one) => what(one.sent))

/** Leaves one write unsent. */
async function leaveSealed(): Promise<void> {
  await tablet.api.call(listUsers, { params: { companyId: company } })
  await tablet.rest()
  tablet.line.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { alert: true } })
  await tablet.signOut()
  tablet.line.state = 'up'
}

it('asks for one key once, and has it deleted when all is open', async () => {
  await leaveSealed()
  expect(server.sealKeys.left(1)).toEqual([1])
  await come()
  expect(await tablet.waiting()).toBe(1)
  expect(sent(isForKeys)).toHaveLength(1)
  expect(server.sealKeys.left(1)).toEqual([2])
  expect(await db().meta.get('spent-seal-keys')).toBeUndefined()
})

it('is opened for who is back by the cookie alone, by the call that finds them there', async () => {
  const list = () => tablet.api.call(listUsers, { params: { companyId: company } })
  await list()
  await tablet.rest()
  tablet.line.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { alert: true } })
  tablet.line.state = 'up'
  server.revoke()
  await list()
  await expect.poll(async () => (await sealsIn(db())).length).toBe(1)
  await list()
  expect([await tablet.waiting(), await sealsIn(db())]).toEqual([1, []])
  await tablet.rest()
})

it('asks for nothing where nothing is sealed, and has the key deleted that was never needed', async () => {
  await tablet.signOut()
  await come()
  expect(sent(isForKeys)).toEqual([])
  expect(server.sealKeys.left(1)).toEqual([2])
})

it('stays signed in without the key, sends nothing newer past what is sealed, and opens it the next time', async () => {
  await leaveSealed()
  server.script = (one) => (isForKeys(one) ? refusal(503, 'UNAVAILABLE') : null)
  await come()
  await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { alert: false } })
  await tablet.tick()
  expect(server.effects.size).toBe(0)
  expect(await sealsIn(db())).toHaveLength(1)
  expect(server.sealKeys.left(1)).toContain(1)
  server.script = null
  await tablet.tick()
  await tablet.rest()
  expect(await sealsIn(db())).toEqual([])
  expect(server.effects.size).toBe(2)
  expect(server.sealKeys.left(1)).toEqual([2])
})

it('names an opened key again until the server has heard it', async () => {
  await leaveSealed()
  server.script = (one) => (isDeletion(one) ? refusal(503, 'UNAVAILABLE') : null)
  await come()
  expect(await tablet.waiting()).toBe(1)
  expect(await db().meta.get('spent-seal-keys')).toMatchObject({ ids: [1] })
  // It is deleted, and the answer is lost.
  server.script = (one, answer) => (isDeletion(one) && answer() ? refusal(502, 'BAD_GATEWAY') : null)
  await tablet.tick()
  await tablet.rest()
  expect(await db().meta.get('spent-seal-keys')).toBeDefined()
  server.script = null
  await tablet.tick()
  await tablet.rest()
  expect(await db().meta.get('spent-seal-keys')).toBeUndefined()
  expect(server.effects.size).toBe(1)
})

it('does not take another user’s answer for the loss of a key', async () => {
  await leaveSealed()
  server.script = (one, answer) => {
    if (!isForKeys(one)) return null
    const said = answer()
    return { ...said, headers: { ...said.headers, 'x-subject': `${company}:2` }, body: '{"seal_keys":[]}' }
  }
  await come()
  expect((await sealsIn(db()))[0]?.isShut).toBeUndefined()
})
