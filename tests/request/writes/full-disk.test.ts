/** Tests a device on which nothing can be stored, and which has no list left to evict. */
import { afterEach, describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { clearCache } from '#local/space/clear-cache.ts'
import type { CallOptions } from '#request/call-results.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { fillDisk, type FullDisk } from '#tests/support/device/full-disk.ts'
import { createScriptedServer, buildRefusal } from '#tests/support/device/scripted-server.ts'

let disk: FullDisk | undefined
afterEach(() => disk?.repair())

async function openSignedInTablet() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  const changeUser = (id: number, body: object, options: CallOptions = {}) =>
    tablet.api.call(updateCompanyUser, { params: { id }, body }, options)
  const listEffects = () => [...server.effects.values()]
  const listKeys = () => tablet.connection.log.flatMap(({ request }) => request.headers[headers.key] ?? [])
  return { clock, server, tablet, changeUser, listEffects, listKeys }
}
/** Opens a tablet with three waiting writes, two of them to one row, and no list that could be evicted. */
async function openTabletWithWaitingWrites() {
  const setup = await openSignedInTablet()
  setup.tablet.connection.state = 'down'
  await setup.changeUser(2, { title: 1 })
  await setup.changeUser(2, { name: 'Renamed' })
  await setup.tablet.api.call(createUser, { body: { name: 'New', email: 'new@acme.example', title: 0 } })
  expect(await setup.tablet.countWaiting()).toBe(3)
  await clearCache(setup.tablet.device)
  await setup.clock.advance(120_000)
  const previousLength = setup.listKeys().length
  return { ...setup, listSentKeys: () => setup.listKeys().slice(previousLength) }
}

describe('waiting writes on a full disk', () => {
  it('are sent once each and in their order, in the reserved space', async () => {
    const { server, tablet, listEffects, listSentKeys } = await openTabletWithWaitingWrites()
    const keys = (await tablet.entries()).map(({ key }) => key)
    disk = fillDisk({ until: 'deleted' })
    tablet.connection.state = 'up'
    expect(await tablet.tick()).toBe(false)
    expect(disk.refusedCount).toBeGreaterThan(0)
    expect(await tablet.countWaiting()).toBe(0)
    expect(listSentKeys()).toEqual(keys)
    expect(listEffects()).toEqual([1, 1, 1])
    expect(server.rows.get(2)).toMatchObject({ title: 1, name: 'Renamed' })
    await tablet.settle()
  })

  it('stay unchanged if there is no space at all, and are sent when there is space again', async () => {
    const { clock, tablet, listEffects } = await openTabletWithWaitingWrites()
    const previousEntries = await tablet.entries()
    disk = fillDisk()
    tablet.connection.state = 'up'
    await expect(tablet.tick()).rejects.toThrow()
    expect(await tablet.entries()).toEqual(previousEntries)
    disk.repair()
    await clock.advance(120_000)
    await tablet.tick()
    expect([await tablet.countWaiting(), listEffects()]).toEqual([0, [1, 1, 1]])
    await tablet.settle()
  })
})

describe('a new write on a full disk', () => {
  it('is sent at once under its own key, and returns its response', async () => {
    const { server, tablet, changeUser, listEffects, listKeys } = await openSignedInTablet()
    disk = fillDisk()
    const base = { rowVersion: 1, values: { title: 0 } }
    expect(await changeUser(2, { title: 1 }, { base })).toMatchObject({
      kind: 'fresh',
      output: { title: 1, row_version: 2 },
    })
    expect([listKeys().length, listEffects()]).toEqual([1, [1]])
    const { request } = tablet.connection.log.find((exchange) => exchange.request.headers[headers.key]) ?? {
      request: { headers: {} },
    }
    expect(request.headers).toMatchObject({ 'if-match': '"1"' })
    expect(server.rows.get(2)).toMatchObject({ title: 1 })
    expect(await tablet.countWaiting()).toBe(0)
    await tablet.settle()
  })

  it('is reported as not saved if no response arrives, and takes effect once if it is repeated', async () => {
    const { tablet, changeUser, listEffects } = await openSignedInTablet()
    disk = fillDisk()
    tablet.connection.state = 'answers lost'
    const first = await changeUser(2, { title: 1 })
    expect(first).toMatchObject({ kind: 'problem', problem: { code: 'DEVICE_FULL' } })
    const { intent = '' } = first as { intent?: string }
    tablet.connection.state = 'up'
    await changeUser(2, { title: 1 }, { intent })
    expect(listEffects()).toEqual([1])
    const [firstHeaders, secondHeaders] = tablet.connection.log
      .filter(({ request }) => request.headers[headers.key])
      .map(({ request }) => request.headers)
    expect(firstHeaders).toMatchObject({ [headers.intent]: intent })
    expect(secondHeaders).toMatchObject({ [headers.intent]: intent })
    expect(secondHeaders?.[headers.key]).toBe(firstHeaders?.[headers.key])
    expect(firstHeaders?.[headers.key]).not.toBe(intent)
    await tablet.settle()
  })

  it('is sent after the waiting writes of its row', async () => {
    const { tablet, changeUser, listEffects, listSentKeys } = await openTabletWithWaitingWrites()
    const keys = (await tablet.entries()).map(({ key }) => key)
    disk = fillDisk({ until: 'deleted' })
    tablet.connection.state = 'up'
    expect(await changeUser(2, { title: 2 })).toMatchObject({ kind: 'fresh', output: { title: 2, name: 'Renamed' } })
    expect(listSentKeys().slice(0, 3)).toEqual(keys)
    expect(listEffects()).toEqual([1, 1, 1, 1])
    await tablet.settle()
  })

  it('is not sent if its session ends while earlier writes are sent, and its form gets SIGNED_OUT', async () => {
    const { server, tablet, changeUser, listEffects } = await openTabletWithWaitingWrites()
    disk = fillDisk({ until: 'deleted' })
    tablet.connection.state = 'up'
    server.revoke()
    expect(await changeUser(2, { title: 2 })).toMatchObject({ kind: 'problem', problem: { code: 'SIGNED_OUT' } })
    expect(listEffects()).toEqual([])
    await tablet.settle()
  })

  it('is not sent before a write of its row that waits for its user', async () => {
    const { server, tablet, changeUser, listEffects } = await openSignedInTablet()
    server.script = (request) => {
      const key = request.headers[headers.key]
      return key ? buildRefusal(412, 'VERSION_CONFLICT', { [headers.key]: key, [headers.outcome]: 'refused; 9' }) : null
    }
    await changeUser(2, { title: 1 })
    server.script = null
    disk = fillDisk()
    expect(await changeUser(2, { name: 'Renamed' })).toMatchObject({
      kind: 'problem',
      problem: { code: 'STORAGE_FAILED' },
    })
    expect(listEffects()).toEqual([])
    await tablet.settle()
  })
})
