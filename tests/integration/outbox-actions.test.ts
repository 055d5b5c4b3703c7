/** What the user decides about writes that wait, between real tablets and the real server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUser, deleteUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

let app: Installation
let mine: Tablet
let theirs: Tablet
let id: number

beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())

beforeEach(async () => {
  const { companies, users } = await app.server.reset()
  id = users['invited@alpha'] ?? 0
  mine = await app.signedIn('admin@alpha')
  theirs = await app.signedIn('second@alpha')
  for (const tablet of [mine, theirs]) {
    await tablet.api.call(listUsers, { params: { companyId: companies.alpha } })
    await tablet.rest()
  }
})

type Fields = { title?: 0 | 1 | 2; name?: string; alert?: boolean }
const before = { title: 0, alert: false, name: 'ALPHA-7f3a91 invited' }

/** As a form would: based on the row as it was seen, with the old values of what it changes. */
async function change(tablet: Tablet, body: Fields, rowVersion: number | `~${string}` = 1) {
  const values = Object.fromEntries(Object.keys(body).map((field) => [field, before[field as keyof Fields]]))
  return await tablet.api.call(updateCompanyUser, { params: { id }, body }, { base: { rowVersion, values } })
}

const intentOf = (result: { kind: string; intent?: string }) => result.intent ?? ''
const row = async (tablet: Tablet) => (await tablet.row('users', id))?.row
const newUser = (name: string) => ({
  body: { title: 0 as const, name, email: `${name}@alpha.example`, admin: false, order: false, alert: false },
})

async function settle(tablet: Tablet) {
  tablet.line.state = 'up'
  await tablet.tick()
  await tablet.rest()
}

/** Mine, made offline on what another has changed by the time the line is back. */
async function meet(own: Fields, other: Fields) {
  mine.line.state = 'down'
  const asked = await change(mine, own)
  await change(theirs, other)
  await settle(mine)
  return intentOf(asked)
}

describe('a write that meets a row somebody else has changed', () => {
  it('is merged by itself where they changed other fields, under a new key and the same intent (protocol 14)', async () => {
    const intent = await meet({ title: 2 }, { name: 'Renamed' })
    expect(await mine.entries()).toEqual([])
    expect(await row(mine)).toMatchObject({ title: 2, name: 'Renamed', row_version: 3 })
    const sent = mine.line.log.filter(({ sent: { headers } }) => headers['idempotency-key']).map(({ sent }) => sent)
    expect(sent.at(-1)?.headers).toMatchObject({ 'idempotency-intent': intent, 'if-match': '"2"' })
  })

  it('is settled as already so where they did just that (protocol 14)', async () => {
    await meet({ title: 2 }, { title: 2 })
    expect(await mine.entries()).toEqual([])
    expect(await row(mine)).toMatchObject({ title: 2, row_version: 2 })
  })

  it('stays for its user to compare where they changed the same field (protocol 14)', async () => {
    await meet({ title: 2, alert: true }, { title: 1 })
    expect(await mine.entries()).toMatchObject([{ state: 'conflict' }])
  })

  it('keeps mine: the row as it is now, with my field over theirs', async () => {
    const intent = await meet({ title: 2 }, { title: 1 })
    expect(await createOutboxActions(mine.ports).keepMine(intent)).toBe(true)
    await mine.rest()
    expect(await mine.entries()).toEqual([])
    expect(await row(mine)).toMatchObject({ title: 2, row_version: 3 })
  })

  it('keeps theirs: mine goes, and what followed it is judged by itself (protocol 14, 15)', async () => {
    mine.line.state = 'down'
    const first = intentOf(await change(mine, { title: 2 }))
    await change(mine, { alert: true }, `~${first}`)
    await change(theirs, { title: 1 })
    await settle(mine)
    expect(await mine.entries()).toMatchObject([{ state: 'conflict' }, { state: 'waiting' }])
    expect(await createOutboxActions(mine.ports).keepTheirs(first)).toBe(true)
    await mine.rest()
    expect(await mine.entries()).toEqual([])
    expect(await row(mine)).toMatchObject({ title: 1, alert: true, row_version: 3 })
  })

  it('is never merged where it deletes the row (protocol 14)', async () => {
    mine.line.state = 'down'
    await mine.api.call(deleteUser, { params: { id } }, { base: { rowVersion: 1, values: {} } })
    await change(theirs, { title: 1 })
    await settle(mine)
    expect(await mine.entries()).toMatchObject([{ state: 'conflict', action: 'delete' }])
  })
})

describe('dropping a write', () => {
  it('that never left is done here and without a network (protocol 15)', async () => {
    mine.line.state = 'down'
    await change(mine, { title: 2 })
    // It was tried once in vain: the line said so. A second one behind it never left.
    const second = intentOf(await change(mine, { alert: true }))
    expect(await createOutboxActions(mine.ports).drop(second)).toBe('gone')
    await mine.rest()
    expect(await mine.entries()).toHaveLength(1)
  })

  it('that may be on its way holds its lane until the server has made sure that it never runs (protocol 13, 15)', async () => {
    mine.line.state = 'down'
    const first = intentOf(await change(mine, { title: 2 }))
    await change(mine, { alert: true }, `~${first}`)
    expect(await createOutboxActions(mine.ports).drop(first)).toBe('asked')
    await mine.rest()
    expect(await mine.entries()).toMatchObject([{ state: 'dropping' }, { state: 'waiting' }])
    await settle(mine)
    expect(await mine.entries()).toEqual([])
    expect(await row(mine)).toMatchObject({ title: 0, alert: true })
    const methods = mine.line.log.slice(-2).map(({ sent }) => sent.method)
    expect(methods).toEqual(['DELETE', 'PUT'])
  })

  it('that had taken effect already is told as done, and the row shows it (protocol 13)', async () => {
    mine.line.state = 'answers lost'
    const first = intentOf(await change(mine, { title: 2 }))
    await mine.rest()
    await createOutboxActions(mine.ports).drop(first)
    await mine.rest()
    await settle(mine)
    expect(await mine.entries()).toEqual([])
    expect(await row(mine)).toMatchObject({ title: 2, row_version: 2 })
  })

  it('that makes a row takes along what was to happen to it, which is listed before (protocol 15)', async () => {
    mine.line.state = 'down'
    await change(mine, { title: 2 })
    const made = intentOf(await mine.api.call(createUser, newUser('made')))
    const follows = await mine.api.call(updateCompanyUser, { params: { id: `~${made}` }, body: { title: 1 } })
    const desk = createOutboxActions(mine.ports)
    expect(await desk.dependents(made)).toEqual([intentOf(follows)])
    await desk.drop(made)
    await mine.rest()
    await settle(mine)
    expect(await mine.entries()).toEqual([])
    const sent = mine.line.log.filter(({ status, sent: { method } }) => status === 200 && method === 'POST')
    expect(sent.some(({ sent: { path } }) => path === '/api/m18s/user')).toBe(false)
  })
})

describe('what a screen is told', () => {
  it('of a conflict: base, mine, theirs, who and when, and which fields are at odds, without a line too (protocol 14)', async () => {
    const intent = await meet({ title: 2, alert: true }, { title: 1 })
    mine.line.state = 'down'
    const compared = await createOutboxActions(mine.ports).compare(intent)
    expect(compared).toMatchObject({
      who: 'ALPHA-7f3a91 second',
      isOwn: false,
      base: { title: 0, alert: false },
      mine: { title: 2, alert: true },
      theirs: { title: 1, alert: false, row_version: 2 },
      fields: ['title'],
    })
    expect(compared?.when).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
  })

  it('of a conflict with themselves: that it was theirs, made on another tablet', async () => {
    const own = await app.signedIn('admin@alpha')
    mine.line.state = 'down'
    const asked = await change(mine, { title: 2 })
    await change(own, { title: 1 })
    await settle(mine)
    expect(await createOutboxActions(mine.ports).compare(intentOf(asked))).toMatchObject({
      isOwn: true,
      fields: ['title'],
    })
  })

  it('of a write that waits: for the line, behind another, for its user, or that it is in no conflict', async () => {
    mine.line.state = 'down'
    const desk = createOutboxActions(mine.ports)
    const first = intentOf(await change(mine, { title: 2 }))
    const second = intentOf(await change(mine, { alert: true }, `~${first}`))
    await mine.rest()
    expect(await desk.whyWaits(first)).toMatchObject({ why: 'line' })
    expect(await desk.whyWaits(second)).toEqual({ why: 'earlier', intent: first, state: 'waiting' })
    expect(await desk.compare(first)).toBeNull()
    await change(theirs, { title: 1 })
    await settle(mine)
    expect(await desk.whyWaits(first)).toEqual({ why: 'user' })
    expect(await desk.whyWaits('nobody')).toBeNull()
  })

  it('as a file to keep: what was typed, without keys or secrets', async () => {
    mine.line.state = 'down'
    await change(mine, { name: 'Typed on the train' })
    const text = await createOutboxActions(mine.ports).exportAll()
    expect(JSON.parse(text).build).toBe(mine.ports.build)
    expect(JSON.parse(text).writes).toMatchObject([
      { endpoint: 'updateCompanyUser', input: { body: { name: 'Typed on the train' } } },
    ])
    const [stored] = await mine.entries()
    expect(stored).toBeDefined()
    for (const word of ['authorization', 'bytes', 'seal_key', 'forUser']) expect(text).not.toContain(word)
  })
})

describe('a write that waits', () => {
  it('is changed in its place while nothing of it ever left, under its own key (P-13, protocol 2)', async () => {
    mine.line.state = 'down'
    const first = intentOf(await change(mine, { title: 2 }))
    const second = intentOf(await change(mine, { name: 'Typed' }, `~${first}`))
    const desk = createOutboxActions(mine.ports)
    const asked = (body: Fields) => ({ params: { id }, body })
    // Tried once in vain, so it may have been done.
    expect(await desk.mend(first, asked({ title: 1 }))).toBe(false)
    expect(await desk.mend(second, asked({ name: 'Typed anew' }))).toBe(true)
    await mine.rest()
    expect(await mine.entries()).toMatchObject([
      { intent: first, input: { body: { title: 2 } } },
      { intent: second, key: second, state: 'waiting', attempts: 0, input: { body: { name: 'Typed anew' } } },
    ])
    await settle(mine)
    expect(await row(mine)).toMatchObject({ title: 2, name: 'Typed anew', row_version: 3 })
  })

  it('is tried by itself when its user says so, and not a moment later (P-13)', async () => {
    mine.line.state = 'down'
    const intent = intentOf(await change(mine, { title: 2 }))
    const desk = createOutboxActions(mine.ports)
    expect(await desk.retry(intent)).toBe(true)
    expect(await desk.whyWaits(intent)).toMatchObject({ why: 'line' })
    mine.line.state = 'up'
    expect(await desk.retry(intent)).toBe(true)
    expect(await mine.entries()).toEqual([])
    expect(await row(mine)).toMatchObject({ title: 2 })
  })
})

describe('a refused write', () => {
  it('goes again as it is, or mended, under a new key of the same intent (protocol 1, 6)', async () => {
    mine.line.state = 'down'
    const made = intentOf(await mine.api.call(createUser, newUser('second')))
    await settle(mine)
    expect(await mine.entries()).toMatchObject([{ state: 'refused', problem: { code: 'DUP_USER' } }])
    const desk = createOutboxActions(mine.ports)
    expect(await desk.retry(made)).toBe(true)
    await mine.rest()
    expect(await mine.entries()).toMatchObject([{ state: 'refused' }])
    expect(await desk.mend(made, newUser('third'))).toBe(true)
    await mine.rest()
    expect(await mine.entries()).toEqual([])
    expect(await mine.row('users', `~${made}`)).toMatchObject({ row: { email: 'third@alpha.example' } })
  })

  it('with nothing to decide any more, is said not to be there', async () => {
    expect(await createOutboxActions(mine.ports).retry('nobody')).toBe(false)
    expect(await createOutboxActions(mine.ports).drop('nobody')).toBe('unknown')
  })
})
