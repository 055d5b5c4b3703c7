/** Tests how the keys of older sessions are requested, used and reported for deletion, with faults of the connection and the server. */
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

/** Makes one unsent write and signs out. */
async function leaveSealed(): Promise<void> {
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  tablet.connection.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { alert: true } })
  await tablet.signOut()
  tablet.connection.state = 'up'
}

it('A device requests a key once, and has the server delete it when everything is unsealed', async () => {
  await leaveSealed()
  expect(server.sealKeys.listRemaining(1)).toEqual([1])
  await signIn()
  expect(await tablet.countWaiting()).toBe(1)
  expect(findRequests(isKeyRequest)).toHaveLength(1)
  expect(server.sealKeys.listRemaining(1)).toEqual([2])
  expect(await openDatabase().meta.get('spent-seal-keys')).toBeUndefined()
})

it('The first call of a user who returns with only the cookie opens their sealed writes', async () => {
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

it('Without sealed writes no key is requested, and the unused key is deleted', async () => {
  await tablet.signOut()
  await signIn()
  expect(findRequests(isKeyRequest)).toEqual([])
  expect(server.sealKeys.listRemaining(1)).toEqual([2])
})

it('Without the key the user stays signed in, and newer writes wait until the key is fetched', async () => {
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

it('An opened key is reported again until the server has deleted it', async () => {
  await leaveSealed()
  server.script = (request) => (isDeletion(request) ? buildRefusal(503, 'UNAVAILABLE') : null)
  await signIn()
  expect(await tablet.countWaiting()).toBe(1)
  expect(await openDatabase().meta.get('spent-seal-keys')).toMatchObject({ ids: [1] })
  // The key is deleted, but the response is lost.
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

it('A response for another user is not treated as the loss of a key', async () => {
  await leaveSealed()
  server.script = (request, respond) => {
    if (!isKeyRequest(request)) return null
    const response = respond()
    return { ...response, headers: { ...response.headers, 'x-subject': `${companyId}:2` }, body: '{"seal_keys":[]}' }
  }
  await signIn()
  expect((await readSealedWrites(openDatabase()))[0]?.isShut).toBeUndefined()
})
