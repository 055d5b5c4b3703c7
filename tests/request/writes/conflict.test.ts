import { describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { updatePriceList } from '#contract/prices.ts'
import { updateCompanyUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { aUser } from '#tests/support/device/device-database.ts'
import { createScripted, refusal } from '#tests/support/device/scripted.ts'

const row = aUser(2, { title: 2, row_version: 7, update_time: '2026-05-01 09:00:00' })

async function conflict(told: object) {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  server.script = (sent, answer) => {
    const key = sent.headers[headers.key]
    const stored = { [headers.key]: key ?? '', [headers.outcome]: 'refused; 9' }
    return key ? refusal(412, 'VERSION_CONFLICT', stored, { current: row, ...told }) : answer()
  }
  const base = { rowVersion: 3, values: { title: 0 } }
  const asked = await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } }, { base })
  return await createOutboxActions(tablet.ports).compare(asked.kind === 'problem' ? (asked.intent ?? '') : '')
}

it('a conflict names who changed the row last, as the 412 says it', async () => {
  const compared = await conflict({ changed_by: { id: 5, name: 'Editor' } })
  expect(compared).toMatchObject({ who: 'Editor', isOwn: false, when: '2026-05-01 09:00:00', fields: ['title'] })
})

it.each([{}, { changed_by: null }, { changed_by: 'x' }])(
  'where nobody knows who it was, it says only when',
  async (told) => {
    expect(await conflict(told)).toMatchObject({ who: null, isOwn: false, when: '2026-05-01 09:00:00' })
  },
)

it('a row that is named in the body is still named in what is sent over somebody else’s change', async () => {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  const current = { id: 9, row_version: 7, desc: 'Old', uat_charge: '5.00' }
  const sentBodies: unknown[] = []
  server.script = (sent, answer) => {
    const key = sent.headers[headers.key]
    if (!key) return answer()
    sentBodies.push(JSON.parse(String(sent.body)))
    const told = { [headers.key]: key, [headers.outcome]: `${sentBodies.length === 1 ? 'refused' : 'done'}; 9` }
    if (sentBodies.length === 1) return refusal(412, 'VERSION_CONFLICT', told, { current })
    return {
      status: 200,
      headers: { 'content-type': 'application/json', ...told },
      body: JSON.stringify({ ...current, desc: 'Mine', row_version: 8 }),
    }
  }
  const base = { rowVersion: 3, values: { desc: 'Old' } }
  await tablet.api.call(updatePriceList, { body: { id: 9, desc: 'Mine' } }, { base })
  await tablet.tick()
  expect(sentBodies[1]).toEqual({ id: 9, desc: 'Mine' })
})

describe('a write of a row that somebody works on (M49, protocol 16)', () => {
  async function locked() {
    const clock = createClock()
    const server = createScripted(clock)
    const tablet = createTablet((sent) => server.answer(sent), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    server.script = (sent, answer) => {
      const key = sent.headers[headers.key]
      return key ? refusal(423, 'RESOURCE_LOCKED', { [headers.key]: key }, { user: 'Wei', action: 'backup' }) : answer()
    }
    const set = (body: object) => tablet.api.call(updateCompanyUser, { params: { id: 2 }, body })
    return { clock, server, tablet, set, actions: createOutboxActions(tablet.ports) }
  }
  const problem = { code: 'RESOURCE_LOCKED', status: 423, data: { user: 'Wei', action: 'backup' } }

  it('tells who sent it whose work it waits for, and whoever changes the row after it, that it goes after that', async () => {
    const { clock, server, tablet, set, actions } = await locked()
    const first = await set({ title: 1 })
    const second = await set({ name: 'Renamed' })
    expect(first).toMatchObject({ kind: 'queued', held: { problem, isBehind: false } })
    expect(second).toMatchObject({ kind: 'queued', held: { problem, isBehind: true } })
    const [one, two] = await tablet.entries()
    expect(await actions.whyWaits(one?.intent ?? '')).toMatchObject({ why: 'locked', who: 'Wei', what: 'backup' })
    expect(await actions.whyWaits(two?.intent ?? '')).toEqual({ why: 'earlier', intent: one?.intent, state: 'waiting' })
    server.script = null
    await clock.turn(70_000)
    await tablet.tick()
    expect(await tablet.waiting()).toBe(0)
    expect(server.rows.get(2)).toMatchObject({ title: 1, name: 'Renamed' })
  })

  it('no longer names the lock once it is the connection that it waits for', async () => {
    const { clock, tablet, set, actions } = await locked()
    await set({ title: 1 })
    tablet.line.state = 'down'
    await clock.turn(70_000)
    await tablet.tick()
    expect(await set({ name: 'Renamed' })).not.toHaveProperty('held')
    const [one] = await tablet.entries()
    expect(await actions.whyWaits(one?.intent ?? '')).toMatchObject({ why: 'line' })
  })

  it('tells that it goes after one that its user has to decide about', async () => {
    const { server, tablet, set } = await locked()
    server.script = (sent, answer) => {
      const key = sent.headers[headers.key]
      const stored = { [headers.key]: key ?? '', [headers.outcome]: 'refused; 9' }
      return key ? refusal(412, 'VERSION_CONFLICT', stored) : answer()
    }
    await set({ title: 1 })
    expect(await set({ name: 'Renamed' })).toMatchObject({ kind: 'queued', held: { problem: null, isBehind: true } })
    expect(await tablet.waiting()).toBe(2)
  })
})
