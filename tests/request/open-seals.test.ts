/** The keys of older sessions are asked for, used and given back to be deleted, whatever the line and the server do. */
import { beforeEach, expect, it } from 'vitest'
import { deleteSealKeys } from '#contract/accounts.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import { createClock, createTablet, type SentRequest, type Tablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer, buildRefusal, type ScriptedServer } from '#tests/support/device/scripted-server.ts'

let server: ScriptedServer
let tablet: Tablet
beforeEach(async () => {
  const clock = createClock()
  server = createScriptedServer(clock, { seals: true })
  tablet = createTablet((request) => server.transport(request), clock)
  await signIn()
})

const signIn = async () => {
  expect((await tablet.signIn('acme', 'user1@acme.example')).kind).toBe('fresh')
  await tablet.settle()
}
const openDatabase = () => tablet.device.getDatabase({ companyId, userId: 1 })
const isKeyRequest = ({ path }: SentRequest) => path.includes('?seals=')
const isDeletion = ({ path }: SentRequest) => path.startsWith(deleteSealKeys.path)
const findRequests = (isMatch: (request: SentRequest) => boolean) =>
  tablet.connection.log.filter((exchange) => isMatch(exchange.request))

/** Leaves one write unsent. */
async function leaveSealed(): Promise<void> {
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  tablet.connection.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { alert: true } })
  await tablet.signOut()
  tablet.connection.state = 'up'
}

it('asks for one key once, and has it deleted when all is open', async () => {
  await leaveSealed()
  expect(server.sealKeys.listRemaining(1)).toEqual([1])
  await signIn()
  expect(await tablet.countWaiting()).toBe(1)
  expect(findRequests(isKeyRequest)).toHaveLength(1)
  expect(server.sealKeys.listRemaining(1)).toEqual([2])
  expect(await openDatabase().meta.get('spent-seal-keys')).toBeUndefined()
})

it('is opened for who is back by the cookie alone, by the call that finds them there', async () => {
  const fetchUsers = () => tablet.api.call(listUsers, { params: { companyId } })
  await fetchUsers()
  await tablet.settle()
  tablet.connection.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { alert: true } })
  tablet.connection.state = 'up'
  server.revoke()
  await fetchUsers()
  await expect.poll(async () => (await readSealedWrites(openDatabase())).length).toBe(1)
  await fetchUsers()
  expect([await tablet.countWaiting(), await readSealedWrites(openDatabase())]).toEqual([1, []])
  await tablet.settle()
})

it('asks for nothing where nothing is sealed, and has the key deleted that was never needed', async () => {
  await tablet.signOut()
  await signIn()
  expect(findRequests(isKeyRequest)).toEqual([])
  expect(server.sealKeys.listRemaining(1)).toEqual([2])
})

it('stays signed in without the key, sends nothing newer past what is sealed, and opens it the next time', async () => {
  await leaveSealed()
  server.script = (request) => (isKeyRequest(request) ? buildRefusal(503, 'UNAVAILABLE') : null)
  await signIn()
  await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { alert: false } })
  await tablet.tick()
  expect(server.effects.size).toBe(0)
  expect(await readSealedWrites(openDatabase())).toHaveLength(1)
  expect(server.sealKeys.listRemaining(1)).toContain(1)
  server.script = null
  await tablet.tick()
  await tablet.settle()
  expect(await readSealedWrites(openDatabase())).toEqual([])
  expect(server.effects.size).toBe(2)
  expect(server.sealKeys.listRemaining(1)).toEqual([2])
})

it('names an opened key again until the server has heard it', async () => {
  await leaveSealed()
  server.script = (request) => (isDeletion(request) ? buildRefusal(503, 'UNAVAILABLE') : null)
  await signIn()
  expect(await tablet.countWaiting()).toBe(1)
  expect(await openDatabase().meta.get('spent-seal-keys')).toMatchObject({ ids: [1] })
  // It is deleted, and the answer is lost.
  server.script = (request, respond) => (isDeletion(request) && respond() ? buildRefusal(502, 'BAD_GATEWAY') : null)
  await tablet.tick()
  await tablet.settle()
  expect(await openDatabase().meta.get('spent-seal-keys')).toBeDefined()
  server.script = null
  await tablet.tick()
  await tablet.settle()
  expect(await openDatabase().meta.get('spent-seal-keys')).toBeUndefined()
  expect(server.effects.size).toBe(1)
})

it('does not take another user’s answer for the loss of a key', async () => {
  await leaveSealed()
  server.script = (request, respond) => {
    if (!isKeyRequest(request)) return null
    const response = respond()
    return { ...response, headers: { ...response.headers, 'x-subject': `${companyId}:2` }, body: '{"seal_keys":[]}' }
  }
  await signIn()
  expect((await readSealedWrites(openDatabase()))[0]?.isShut).toBeUndefined()
})
