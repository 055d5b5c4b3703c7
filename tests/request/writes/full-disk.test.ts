/** A device on which nothing more can be put, and nothing is left that could make way. */
import { afterEach, describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { clearCache } from '#local/space/clear-cache.ts'
import type { CallOptions } from '#request/results.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { fillDisk, type FullDisk } from '#tests/support/device/full-disk.ts'
import { createScripted, refusal } from '#tests/support/device/scripted.ts'

let disk: FullDisk | undefined
afterEach(() => disk?.mend())

async function signedIn() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId: company } })
  await tablet.rest()
  const set = (id: number, body: object, asking: CallOptions = {}) =>
    tablet.api.call(updateCompanyUser, { params: { id }, body }, asking)
  const effects = () => [...server.effects.values()]
  const keys = () => tablet.line.log.flatMap(({ sent }) => sent.headers[headers.key] ?? [])
  return { clock, server, tablet, set, effects, keys }
}
/** Three writes that wait, two of them of one row, and no list that could make way. */
async function waiting() {
  const the = await signedIn()
  the.tablet.line.state = 'down'
  await the.set(2, { title: 1 })
  await the.set(2, { name: 'Renamed' })
  await the.tablet.api.call(createUser, { body: { name: 'New', email: 'new@acme.example', title: 0 } })
  expect(await the.tablet.waiting()).toBe(3)
  await clearCache(the.tablet.device)
  await the.clock.turn(120_000)
  const before = the.keys().length
  return { ...the, sentSince: () => the.keys().slice(before) }
}

describe('writes that wait on a full disk', () => {
  it('are sent, once each and in their order, out of the room that is set aside for it', async () => {
    const { server, tablet, effects, sentSince } = await waiting()
    const keys = (await tablet.entries()).map(({ key }) => key)
    disk = fillDisk({ until: 'deleted' })
    tablet.line.state = 'up'
    expect(await tablet.tick()).toBe(false)
    expect(disk.refused).toBeGreaterThan(0)
    expect(await tablet.waiting()).toBe(0)
    expect(sentSince()).toEqual(keys)
    expect(effects()).toEqual([1, 1, 1])
    expect(server.rows.get(2)).toMatchObject({ title: 1, name: 'Renamed' })
    await tablet.rest()
  })

  it('stay as they are where there is no room at all, and go when there is', async () => {
    const { clock, tablet, effects } = await waiting()
    const before = await tablet.entries()
    disk = fillDisk()
    tablet.line.state = 'up'
    await expect(tablet.tick()).rejects.toThrow()
    expect(await tablet.entries()).toEqual(before)
    disk.mend()
    await clock.turn(120_000)
    await tablet.tick()
    expect([await tablet.waiting(), effects()]).toEqual([0, [1, 1, 1]])
    await tablet.rest()
  })
})

describe('a new write on a full disk', () => {
  it('is sent at once under its own key, and answered like any other', async () => {
    const { server, tablet, set, effects, keys } = await signedIn()
    disk = fillDisk()
    const base = { rowVersion: 1, values: { title: 0 } }
    expect(await set(2, { title: 1 }, { base })).toMatchObject({ kind: 'fresh', output: { title: 1, row_version: 2 } })
    expect([keys().length, effects()]).toEqual([1, [1]])
    const { sent } = tablet.line.log.find((one) => one.sent.headers[headers.key]) ?? { sent: { headers: {} } }
    expect(sent.headers).toMatchObject({ 'if-match': '"1"' })
    expect(server.rows.get(2)).toMatchObject({ title: 1 })
    expect(await tablet.waiting()).toBe(0)
    await tablet.rest()
  })

  it('is told as not saved where nobody answers, and pressed again it is the same wish, done once', async () => {
    const { tablet, set, effects } = await signedIn()
    disk = fillDisk()
    tablet.line.state = 'answers lost'
    const first = await set(2, { title: 1 })
    expect(first).toMatchObject({ kind: 'problem', problem: { code: 'DEVICE_FULL' } })
    const { intent = '' } = first as { intent?: string }
    tablet.line.state = 'up'
    await set(2, { title: 1 }, { intent })
    expect(effects()).toEqual([1])
    const [one, two] = tablet.line.log.filter(({ sent }) => sent.headers[headers.key]).map(({ sent }) => sent.headers)
    expect(one).toMatchObject({ [headers.intent]: intent })
    expect(two).toMatchObject({ [headers.intent]: intent })
    expect(two?.[headers.key]).toBe(one?.[headers.key])
    expect(one?.[headers.key]).not.toBe(intent)
    await tablet.rest()
  })

  it('goes after those of its row that wait', async () => {
    const { tablet, set, effects, sentSince } = await waiting()
    const keys = (await tablet.entries()).map(({ key }) => key)
    disk = fillDisk({ until: 'deleted' })
    tablet.line.state = 'up'
    expect(await set(2, { title: 2 })).toMatchObject({ kind: 'fresh', output: { title: 2, name: 'Renamed' } })
    expect(sentSince().slice(0, 3)).toEqual(keys)
    expect(effects()).toEqual([1, 1, 1, 1])
    await tablet.rest()
  })

  it('is not sent for somebody whose session ends while what waits is sent before it: the form is told', async () => {
    const { server, tablet, set, effects } = await waiting()
    disk = fillDisk({ until: 'deleted' })
    tablet.line.state = 'up'
    server.revoke()
    expect(await set(2, { title: 2 })).toMatchObject({ kind: 'problem', problem: { code: 'SIGNED_OUT' } })
    expect(effects()).toEqual([])
    await tablet.rest()
  })

  it('is not sent past one of its row that waits for its user', async () => {
    const { server, tablet, set, effects } = await signedIn()
    server.script = (sent) => {
      const key = sent.headers[headers.key]
      return key ? refusal(412, 'VERSION_CONFLICT', { [headers.key]: key, [headers.outcome]: 'refused; 9' }) : null
    }
    await set(2, { title: 1 })
    server.script = null
    disk = fillDisk()
    expect(await set(2, { name: 'Renamed' })).toMatchObject({ kind: 'problem', problem: { code: 'STORAGE_FAILED' } })
    expect(effects()).toEqual([])
    await tablet.rest()
  })
})
