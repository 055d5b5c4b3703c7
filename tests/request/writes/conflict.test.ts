import { describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { updatePriceList } from '#contract/prices.ts'
import { updateCompanyUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { buildUser } from '#tests/support/device/device-database.ts'
import { createScriptedServer, buildRefusal } from '#tests/support/device/scripted-server.ts'

const row = buildUser(2, { title: 2, row_version: 7, update_time: '2026-05-01 09:00:00' })

async function causeConflict(problemData: object) {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  server.script = (request, respond) => {
    const key = request.headers[headers.key]
    const outcomeHeaders = { [headers.key]: key ?? '', [headers.outcome]: 'refused; 9' }
    return key ? buildRefusal(412, 'VERSION_CONFLICT', outcomeHeaders, { current: row, ...problemData }) : respond()
  }
  const base = { rowVersion: 3, values: { title: 0 } }
  const result = await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } }, { base })
  return await createOutboxActions(tablet.ports).compare(result.kind === 'problem' ? (result.intent ?? '') : '')
}

it('A conflict names the user who changed the row last, from the 412 response', async () => {
  const comparison = await causeConflict({ changed_by: { id: 5, name: 'Editor' } })
  expect(comparison).toMatchObject({
    authorName: 'Editor',
    isOwn: false,
    changedAt: '2026-05-01 09:00:00',
    fields: ['title'],
  })
})

it.each([{}, { changed_by: null }, { changed_by: 'x' }])(
  'A conflict whose author is unknown shows only the time',
  async (problemData) => {
    expect(await causeConflict(problemData)).toMatchObject({
      authorName: null,
      isOwn: false,
      changedAt: '2026-05-01 09:00:00',
    })
  },
)

it("A write that is sent over another user's change still names its row in the body", async () => {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  const current = { id: 9, row_version: 7, desc: 'Old', uat_charge: '5.00' }
  const sentBodies: unknown[] = []
  server.script = (request, respond) => {
    const key = request.headers[headers.key]
    if (!key) return respond()
    sentBodies.push(JSON.parse(String(request.body)))
    const outcomeHeaders = {
      [headers.key]: key,
      [headers.outcome]: `${sentBodies.length === 1 ? 'refused' : 'done'}; 9`,
    }
    if (sentBodies.length === 1) return buildRefusal(412, 'VERSION_CONFLICT', outcomeHeaders, { current })
    return {
      status: 200,
      headers: { 'content-type': 'application/json', ...outcomeHeaders },
      body: JSON.stringify({ ...current, desc: 'Mine', row_version: 8 }),
    }
  }
  const base = { rowVersion: 3, values: { desc: 'Old' } }
  await tablet.api.call(updatePriceList, { body: { id: 9, desc: 'Mine' } }, { base })
  await tablet.tick()
  expect(sentBodies[1]).toEqual({ id: 9, desc: 'Mine' })
})

describe('a write to a locked row (M49, protocol 16)', () => {
  async function openLockedTablet() {
    const clock = createClock()
    const server = createScriptedServer(clock)
    const tablet = createTablet((request) => server.transport(request), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    server.script = (request, respond) => {
      const key = request.headers[headers.key]
      return key
        ? buildRefusal(423, 'RESOURCE_LOCKED', { [headers.key]: key }, { user: 'Wei', action: 'backup' })
        : respond()
    }
    const changeUser = (body: object) => tablet.api.call(updateCompanyUser, { params: { id: 2 }, body })
    return { clock, server, tablet, changeUser, actions: createOutboxActions(tablet.ports) }
  }
  const problem = { code: 'RESOURCE_LOCKED', status: 423, data: { user: 'Wei', action: 'backup' } }

  it('names the lock it waits for, and a later write of the row waits after it', async () => {
    const { clock, server, tablet, changeUser, actions } = await openLockedTablet()
    const first = await changeUser({ title: 1 })
    const second = await changeUser({ name: 'Renamed' })
    expect(first).toMatchObject({ kind: 'queued', holdReason: { problem, isBehind: false } })
    expect(second).toMatchObject({ kind: 'queued', holdReason: { problem, isBehind: true } })
    const [firstEntry, secondEntry] = await tablet.entries()
    expect(await actions.getWaitReason(firstEntry?.intent ?? '')).toMatchObject({
      kind: 'locked',
      userName: 'Wei',
      actionName: 'backup',
    })
    expect(await actions.getWaitReason(secondEntry?.intent ?? '')).toEqual({
      kind: 'earlier',
      intent: firstEntry?.intent,
      state: 'waiting',
    })
    server.script = null
    await clock.advance(70_000)
    await tablet.tick()
    expect(await tablet.countWaiting()).toBe(0)
    expect(server.rows.get(2)).toMatchObject({ title: 1, name: 'Renamed' })
  })

  it('no longer names the lock once it waits for the connection', async () => {
    const { clock, tablet, changeUser, actions } = await openLockedTablet()
    await changeUser({ title: 1 })
    tablet.connection.state = 'down'
    await clock.advance(70_000)
    await tablet.tick()
    expect(await changeUser({ name: 'Renamed' })).not.toHaveProperty('holdReason')
    const [firstEntry] = await tablet.entries()
    expect(await actions.getWaitReason(firstEntry?.intent ?? '')).toMatchObject({ kind: 'line' })
  })

  it('waits behind a write that its user must decide about, and reports this reason', async () => {
    const { server, tablet, changeUser } = await openLockedTablet()
    server.script = (request, respond) => {
      const key = request.headers[headers.key]
      const outcomeHeaders = { [headers.key]: key ?? '', [headers.outcome]: 'refused; 9' }
      return key ? buildRefusal(412, 'VERSION_CONFLICT', outcomeHeaders) : respond()
    }
    await changeUser({ title: 1 })
    expect(await changeUser({ name: 'Renamed' })).toMatchObject({
      kind: 'queued',
      holdReason: { problem: null, isBehind: true },
    })
    expect(await tablet.countWaiting()).toBe(2)
  })
})
