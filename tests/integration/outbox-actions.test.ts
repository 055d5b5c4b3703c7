/** Tests the user's decisions about waiting writes, between tablets and the real server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUser, deleteUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

let installation: Installation
let ownTablet: Tablet
let otherTablet: Tablet
let id: number

beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())

beforeEach(async () => {
  const { companies, users } = await installation.server.reset()
  id = users['invited@alpha'] ?? 0
  ownTablet = await installation.signInTablet('admin@alpha')
  otherTablet = await installation.signInTablet('second@alpha')
  for (const tablet of [ownTablet, otherTablet]) {
    await tablet.api.call(listUsers, { params: { companyId: companies.alpha } })
    await tablet.settle()
  }
})

type Fields = { title?: 0 | 1 | 2; name?: string; alert?: boolean }
const originalValues = { title: 0, alert: false, name: 'ALPHA-7f3a91 invited' }

/** Changes the user as a form does: based on the row version that the form was opened with, and on the old values of the changed fields. */
async function change(tablet: Tablet, body: Fields, rowVersion: number | `~${string}` = 1) {
  const values = Object.fromEntries(Object.keys(body).map((field) => [field, originalValues[field as keyof Fields]]))
  return await tablet.api.call(updateCompanyUser, { params: { id }, body }, { base: { rowVersion, values } })
}

const readIntent = (result: { kind: string; intent?: string }) => result.intent ?? ''
const readRow = async (tablet: Tablet) => (await tablet.row('users', id))?.row
const newUser = (name: string) => ({
  body: { title: 0 as const, name, email: `${name}@alpha.example`, admin: false, order: false, alert: false },
})

async function sendAll(tablet: Tablet) {
  tablet.connection.state = 'up'
  await tablet.tick()
  await tablet.settle()
}

/** Changes the user offline by `own`, changes it on another tablet by `other`, and reconnects. */
async function createConflict(own: Fields, other: Fields) {
  ownTablet.connection.state = 'down'
  const result = await change(ownTablet, own)
  await change(otherTablet, other)
  await sendAll(ownTablet)
  return readIntent(result)
}

describe('a write to a row that somebody else changed', () => {
  it('is merged if other fields changed, under a new key and the same intent (protocol 14)', async () => {
    const intent = await createConflict({ title: 2 }, { name: 'Renamed' })
    expect(await ownTablet.entries()).toEqual([])
    expect(await readRow(ownTablet)).toMatchObject({ title: 2, name: 'Renamed', row_version: 3 })
    const sent = ownTablet.connection.log
      .filter(({ request: { headers } }) => headers['idempotency-key'])
      .map(({ request }) => request)
    expect(sent.at(-1)?.headers).toMatchObject({ 'idempotency-intent': intent, 'if-match': '"2"' })
  })

  it('is settled as done if the same change was already made (protocol 14)', async () => {
    await createConflict({ title: 2 }, { title: 2 })
    expect(await ownTablet.entries()).toEqual([])
    expect(await readRow(ownTablet)).toMatchObject({ title: 2, row_version: 2 })
  })

  it("waits for its user's decision if the same field changed (protocol 14)", async () => {
    await createConflict({ title: 2, alert: true }, { title: 1 })
    expect(await ownTablet.entries()).toMatchObject([{ state: 'conflict' }])
  })

  it("keepOwnValues writes the user's value of the field over the current row", async () => {
    const intent = await createConflict({ title: 2 }, { title: 1 })
    expect(await createOutboxActions(ownTablet.ports).keepOwnValues(intent)).toBe(true)
    await ownTablet.settle()
    expect(await ownTablet.entries()).toEqual([])
    expect(await readRow(ownTablet)).toMatchObject({ title: 2, row_version: 3 })
  })

  it('keepServerValues drops the write, and still sends a later write of the same row (protocol 14, 15)', async () => {
    ownTablet.connection.state = 'down'
    const first = readIntent(await change(ownTablet, { title: 2 }))
    await change(ownTablet, { alert: true }, `~${first}`)
    await change(otherTablet, { title: 1 })
    await sendAll(ownTablet)
    expect(await ownTablet.entries()).toMatchObject([{ state: 'conflict' }, { state: 'waiting' }])
    expect(await createOutboxActions(ownTablet.ports).keepServerValues(first)).toBe(true)
    await ownTablet.settle()
    expect(await ownTablet.entries()).toEqual([])
    expect(await readRow(ownTablet)).toMatchObject({ title: 1, alert: true, row_version: 3 })
  })

  it('is never merged if it deletes the row (protocol 14)', async () => {
    ownTablet.connection.state = 'down'
    await ownTablet.api.call(deleteUser, { params: { id } }, { base: { rowVersion: 1, values: {} } })
    await change(otherTablet, { title: 1 })
    await sendAll(ownTablet)
    expect(await ownTablet.entries()).toMatchObject([{ state: 'conflict', action: 'delete' }])
  })
})

describe('dropping a write', () => {
  it('happens locally and offline if the write was never sent (protocol 15)', async () => {
    ownTablet.connection.state = 'down'
    await change(ownTablet, { title: 2 })
    // The first write was tried once and failed. The second one, behind it, was never sent.
    const second = readIntent(await change(ownTablet, { alert: true }))
    expect(await createOutboxActions(ownTablet.ports).drop(second)).toBe('gone')
    await ownTablet.settle()
    expect(await ownTablet.entries()).toHaveLength(1)
  })

  it('blocks the row until the server guarantees that a sent write never runs (protocol 13, 15)', async () => {
    ownTablet.connection.state = 'down'
    const first = readIntent(await change(ownTablet, { title: 2 }))
    await change(ownTablet, { alert: true }, `~${first}`)
    expect(await createOutboxActions(ownTablet.ports).drop(first)).toBe('requested')
    await ownTablet.settle()
    expect(await ownTablet.entries()).toMatchObject([{ state: 'dropping' }, { state: 'waiting' }])
    await sendAll(ownTablet)
    expect(await ownTablet.entries()).toEqual([])
    expect(await readRow(ownTablet)).toMatchObject({ title: 0, alert: true })
    const methods = ownTablet.connection.log.slice(-2).map(({ request }) => request.method)
    expect(methods).toEqual(['DELETE', 'PUT'])
  })

  it('reports the write as done if it had already taken effect, and the row shows it (protocol 13)', async () => {
    ownTablet.connection.state = 'answers lost'
    const first = readIntent(await change(ownTablet, { title: 2 }))
    await ownTablet.settle()
    await createOutboxActions(ownTablet.ports).drop(first)
    await ownTablet.settle()
    await sendAll(ownTablet)
    expect(await ownTablet.entries()).toEqual([])
    expect(await readRow(ownTablet)).toMatchObject({ title: 2, row_version: 2 })
  })

  it('also drops the writes that need the row which it creates, after listing them (protocol 15)', async () => {
    ownTablet.connection.state = 'down'
    await change(ownTablet, { title: 2 })
    const createIntent = readIntent(await ownTablet.api.call(createUser, newUser('made')))
    const dependentResult = await ownTablet.api.call(updateCompanyUser, {
      params: { id: `~${createIntent}` },
      body: { title: 1 },
    })
    const actions = createOutboxActions(ownTablet.ports)
    expect(await actions.findDependents(createIntent)).toEqual([readIntent(dependentResult)])
    await actions.drop(createIntent)
    await ownTablet.settle()
    await sendAll(ownTablet)
    expect(await ownTablet.entries()).toEqual([])
    const sent = ownTablet.connection.log.filter(
      ({ status, request: { method } }) => status === 200 && method === 'POST',
    )
    expect(sent.some(({ request: { path } }) => path === '/api/m18s/user')).toBe(false)
  })
})

describe('outbox information for the screen', () => {
  it("a conflict has base, user's and server values, author, time and differing fields (protocol 14)", async () => {
    const intent = await createConflict({ title: 2, alert: true }, { title: 1 })
    ownTablet.connection.state = 'down'
    const comparison = await createOutboxActions(ownTablet.ports).compare(intent)
    expect(comparison).toMatchObject({
      authorName: 'ALPHA-7f3a91 second',
      isOwn: false,
      baseValues: { title: 0, alert: false },
      ownValues: { title: 2, alert: true },
      serverValues: { title: 1, alert: false, row_version: 2 },
      fields: ['title'],
    })
    expect(comparison?.changedAt).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
  })

  it("a conflict with the user's change on another tablet is marked as the user's own", async () => {
    const secondTablet = await installation.signInTablet('admin@alpha')
    ownTablet.connection.state = 'down'
    const result = await change(ownTablet, { title: 2 })
    await change(secondTablet, { title: 1 })
    await sendAll(ownTablet)
    expect(await createOutboxActions(ownTablet.ports).compare(readIntent(result))).toMatchObject({
      isOwn: true,
      fields: ['title'],
    })
  })

  it('a waiting write has a wait reason, and its comparison is null if there is no conflict', async () => {
    ownTablet.connection.state = 'down'
    const actions = createOutboxActions(ownTablet.ports)
    const first = readIntent(await change(ownTablet, { title: 2 }))
    const second = readIntent(await change(ownTablet, { alert: true }, `~${first}`))
    await ownTablet.settle()
    expect(await actions.getWaitReason(first)).toMatchObject({ kind: 'line' })
    expect(await actions.getWaitReason(second)).toEqual({ kind: 'earlier', intent: first, state: 'waiting' })
    expect(await actions.compare(first)).toBeNull()
    await change(otherTablet, { title: 1 })
    await sendAll(ownTablet)
    expect(await actions.getWaitReason(first)).toEqual({ kind: 'user' })
    expect(await actions.getWaitReason('nobody')).toBeNull()
  })

  it('the export contains what was typed, without keys or secrets', async () => {
    ownTablet.connection.state = 'down'
    await change(ownTablet, { name: 'Typed on the train' })
    const text = await createOutboxActions(ownTablet.ports).exportAll()
    expect(JSON.parse(text).build).toBe(ownTablet.ports.build)
    expect(JSON.parse(text).writes).toMatchObject([
      { endpoint: 'updateCompanyUser', input: { body: { name: 'Typed on the train' } } },
    ])
    const [stored] = await ownTablet.entries()
    expect(stored).toBeDefined()
    for (const word of ['authorization', 'bytes', 'seal_key', 'forUser']) expect(text).not.toContain(word)
  })
})

describe('a waiting write', () => {
  it('is changed in place under its own key if it was never sent (P-13, protocol 2)', async () => {
    ownTablet.connection.state = 'down'
    const first = readIntent(await change(ownTablet, { title: 2 }))
    const second = readIntent(await change(ownTablet, { name: 'Typed' }, `~${first}`))
    const actions = createOutboxActions(ownTablet.ports)
    const buildInput = (body: Fields) => ({ params: { id }, body })
    // The write was sent once without a response, so it may have taken effect.
    expect(await actions.fix(first, buildInput({ title: 1 }))).toBe(false)
    expect(await actions.fix(second, buildInput({ name: 'Typed anew' }))).toBe(true)
    await ownTablet.settle()
    expect(await ownTablet.entries()).toMatchObject([
      { intent: first, input: { body: { title: 2 } } },
      { intent: second, key: second, state: 'waiting', attempts: 0, input: { body: { name: 'Typed anew' } } },
    ])
    await sendAll(ownTablet)
    expect(await readRow(ownTablet)).toMatchObject({ title: 2, name: 'Typed anew', row_version: 3 })
  })

  it("is retried immediately on the user's request (P-13)", async () => {
    ownTablet.connection.state = 'down'
    const intent = readIntent(await change(ownTablet, { title: 2 }))
    const actions = createOutboxActions(ownTablet.ports)
    expect(await actions.retry(intent)).toBe(true)
    expect(await actions.getWaitReason(intent)).toMatchObject({ kind: 'line' })
    ownTablet.connection.state = 'up'
    expect(await actions.retry(intent)).toBe(true)
    expect(await ownTablet.entries()).toEqual([])
    expect(await readRow(ownTablet)).toMatchObject({ title: 2 })
  })
})

describe('a refused write', () => {
  it('is resent unchanged or corrected, under a new key of the same intent (protocol 1, 6)', async () => {
    ownTablet.connection.state = 'down'
    const createIntent = readIntent(await ownTablet.api.call(createUser, newUser('second')))
    await sendAll(ownTablet)
    expect(await ownTablet.entries()).toMatchObject([{ state: 'refused', problem: { code: 'DUP_USER' } }])
    const actions = createOutboxActions(ownTablet.ports)
    expect(await actions.retry(createIntent)).toBe(true)
    await ownTablet.settle()
    expect(await ownTablet.entries()).toMatchObject([{ state: 'refused' }])
    expect(await actions.fix(createIntent, newUser('third'))).toBe(true)
    await ownTablet.settle()
    expect(await ownTablet.entries()).toEqual([])
    expect(await ownTablet.row('users', `~${createIntent}`)).toMatchObject({ row: { email: 'third@alpha.example' } })
  })

  it('is reported as unknown if it no longer exists', async () => {
    expect(await createOutboxActions(ownTablet.ports).retry('nobody')).toBe(false)
    expect(await createOutboxActions(ownTablet.ports).drop('nobody')).toBe('unknown')
  })
})
