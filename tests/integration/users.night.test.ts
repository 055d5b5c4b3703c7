import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { createUser, deleteUser, disableUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { versionOf } from '#local/lists/list-view.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import { comeIn, openInstallation, type Installation } from '#tests/support/device/app.ts'

let app: Installation
let companyId: number
let invited: number

beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())
beforeEach(async () => {
  const world = await app.server.reset()
  companyId = world.companies.alpha
  invited = world.users['invited@alpha'] ?? 0
})

const users = () => ({ params: { companyId }, query: { results: 50 } })
async function atWork(who = 'admin@alpha'): Promise<Tablet> {
  const tablet = await app.signedIn(who)
  await tablet.api.call(listUsers, users())
  await tablet.rest()
  return tablet
}
const retitle = (tablet: Tablet, title: 0 | 1 | 2, id = invited) =>
  tablet.api.call(updateCompanyUser, { params: { id }, body: { title } })
const inDatabase = (id: number) =>
  pastPolicies(app.server.app.database, (db) =>
    db.selectFrom('portal_user').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  )
const trailOf = (operation: string) =>
  pastPolicies(app.server.app.database, (db) =>
    db
      .selectFrom('audit_entry')
      .selectAll()
      .where('company_id', '=', companyId)
      .where(sql<boolean>`operation = ${operation}`)
      .execute(),
  )
const attempts = (tablet: Tablet) => tablet.line.log.filter(({ sent }) => sent.headers[headers.key])

describe('changing a user', () => {
  it('with the line up: the new row is on the screen and nothing waits', async () => {
    const tablet = await atWork()
    expect(await retitle(tablet, 2)).toMatchObject({ kind: 'fresh', output: { id: invited, title: 2 } })
    expect(await tablet.row('users', invited)).toMatchObject({ row: { title: 2 }, waiting: null })
    expect(await tablet.waiting()).toBe(0)
  })

  it('made offline reaches the server once the line is back, with one entry in the trail', async () => {
    const tablet = await atWork()
    const before = (await trailOf('update')).length
    tablet.line.state = 'down'
    expect((await retitle(tablet, 2)).kind).toBe('queued')
    expect((await inDatabase(invited)).title).toBe(0)
    tablet.line.state = 'up'
    await tablet.tick()
    expect((await inDatabase(invited)).title).toBe(2)
    expect(await tablet.waiting()).toBe(0)
    expect((await trailOf('update')).length - before).toBe(1)
  })

  it('whose answer was lost after the commit takes effect once', async () => {
    const tablet = await atWork()
    const version = (await inDatabase(invited)).row_version
    tablet.line.state = 'answers lost'
    expect((await retitle(tablet, 2)).kind).toBe('queued')
    await tablet.tick()
    tablet.line.state = 'up'
    await tablet.tick()
    expect(attempts(tablet)).toHaveLength(3)
    expect(await inDatabase(invited)).toMatchObject({ title: 2, row_version: version + 1 })
    expect(await tablet.waiting()).toBe(0)
    expect(await tablet.row('users', invited)).toMatchObject({ row: { row_version: version + 1 }, waiting: null })
  })

  it('twice offline: the second is based on the first, and both arrive', async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    await retitle(tablet, 1)
    const shown = await tablet.row('users', invited)
    if (!shown) throw new Error('the row is not here')
    const base = { rowVersion: versionOf(shown), values: { name: 'x' } }
    await tablet.api.call(updateCompanyUser, { params: { id: invited }, body: { name: 'New name' } }, { base })
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await inDatabase(invited)).toMatchObject({ title: 1, name: 'New name' })
    expect(await tablet.entries()).toEqual([])
  })

  it('that somebody else changed meanwhile waits as a conflict, with the row as it is now (R-09)', async () => {
    const [tablet, other] = [await atWork(), await atWork('second@alpha')]
    tablet.line.state = 'down'
    await retitle(tablet, 1)
    await retitle(other, 2)
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toMatchObject([
      { state: 'conflict', problem: { code: 'VERSION_CONFLICT', data: { current: { title: 2 } } } },
    ])
    expect((await inDatabase(invited)).title).toBe(2)
  })

  it('in conflict, saved again by its user, is put over the row as it is now, once', async () => {
    const [tablet, other] = [await atWork(), await atWork('second@alpha')]
    await tablet.api.call(listUsers, users())
    await retitle(other, 2)
    const base = { rowVersion: 1, values: { title: 0 } }
    const change = { params: { id: invited }, body: { title: 1 as const } }
    const conflict = await tablet.api.call(updateCompanyUser, change, { base })
    expect(conflict).toMatchObject({ kind: 'problem', problem: { code: 'VERSION_CONFLICT' } })
    const intent = conflict.kind === 'problem' ? (conflict.intent ?? '') : ''
    expect(await tablet.api.call(updateCompanyUser, change, { base, intent })).toMatchObject({ kind: 'fresh' })
    expect(await inDatabase(invited)).toMatchObject({ title: 1, row_version: 3 })
    expect(await tablet.entries()).toEqual([])
  })

  it('that is refused goes back to its form and can be mended there', async () => {
    const tablet = await atWork()
    const make = (email: string, intent?: string) =>
      tablet.api.call(
        createUser,
        { body: { title: 0, name: 'Someone', email, admin: false, order: false, alert: false } },
        intent === undefined ? {} : { intent },
      )
    const refused = await make('admin@alpha.example')
    expect(refused).toMatchObject({ kind: 'problem', problem: { code: 'DUP_USER' } })
    expect(await tablet.waiting()).toBe(0)
    const intent = refused.kind === 'problem' ? refused.intent : undefined
    expect((await make('someone@alpha.example', intent)).kind).toBe('fresh')
    expect((await trailOf('create')).map(({ status }) => status).sort()).toEqual([-1, 0])
  })

  it('refused after an offline spell stays on the device with its problem', async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    await tablet.api.call(createUser, {
      body: { title: 0, name: 'Someone', email: 'admin@alpha.example', admin: false, order: false, alert: false },
    })
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toMatchObject([{ state: 'refused', problem: { code: 'DUP_USER' } }])
    const shown = await tablet.list(listUsers, { scope: companyId, results: 50 })
    expect(shown.rows.filter(({ waiting }) => waiting)).toMatchObject([{ waiting: { state: 'refused' } }])
  })

  it('of their access level never waits in a queue: without a line it says that it needs one', async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    const result = await tablet.api.call(updateCompanyUser, { params: { id: invited }, body: { admin: true } })
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    expect(await tablet.waiting()).toBe(0)
    tablet.line.state = 'up'
    const shown = await tablet.row('users', invited)
    const base = { rowVersion: shown ? versionOf(shown) : 0, values: { admin: false } }
    const again = await tablet.api.call(updateCompanyUser, { params: { id: invited }, body: { admin: true } }, { base })
    expect(again).toMatchObject({ kind: 'fresh', output: { admin: true } })
    expect(await tablet.row('users', invited)).toMatchObject({ row: { admin: true } })
  })

  it('once more with a form whose answer was lost online takes effect once', async () => {
    const tablet = await atWork()
    const grant = (intent?: string) =>
      tablet.api.call(
        updateCompanyUser,
        { params: { id: invited }, body: { admin: true } },
        { base: { rowVersion: 1, values: { admin: false } }, ...(intent === undefined ? {} : { intent }) },
      )
    tablet.line.state = 'answers lost'
    const lost = await grant()
    tablet.line.state = 'up'
    const intent = lost.kind === 'problem' ? lost.intent : undefined
    expect(await grant(intent)).toMatchObject({ kind: 'fresh', output: { admin: true } })
    expect(await inDatabase(invited)).toMatchObject({ row_version: 2 })
  })
})

describe('a user made offline', () => {
  it('can be edited and disabled before it has an id; all arrive in order under one id', async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    const made = await tablet.api.call(createUser, {
      body: {
        title: 0,
        name: 'Made on a train',
        email: 'train@alpha.example',
        admin: false,
        order: false,
        alert: false,
      },
    })
    const id = `~${made.kind === 'queued' ? made.intent : ''}` as const
    await tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 2 } })
    await tablet.api.call(updateCompanyUser, { params: { id }, body: { order: true } })
    const there = await tablet.list(listUsers, { scope: companyId, results: 50, filters: { searchText: 'train' } })
    expect(there.rows).toMatchObject([{ row: { id, title: 2, order: true }, waiting: { action: 'change' } }])
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    const shown = await tablet.row('users', id)
    expect(shown).toMatchObject({ row: { name: 'Made on a train', title: 2, order: true }, waiting: null })
    expect(await inDatabase(Number(shown?.row.id))).toMatchObject({ title: 2, orders: true })
  })
})

describe('deleting a user', () => {
  it('offline hides the row at once, and it stays away after the server has done it', async () => {
    const tablet = await atWork()
    const ids = async () =>
      (await tablet.list(listUsers, { scope: companyId, results: 50 })).rows.map(({ row }) => row.id)
    tablet.line.state = 'down'
    await tablet.api.call(deleteUser, { params: { id: invited } })
    expect(await ids()).not.toContain(invited)
    tablet.line.state = 'up'
    await tablet.tick()
    expect((await inDatabase(invited)).status).toBe(-2)
    expect(await ids()).not.toContain(invited)
    // What is read in the very millisecond of the deletion does not tell whether it saw it.
    await app.clock.turn(1)
    await tablet.api.call(listUsers, users())
    await tablet.rest()
    expect(await ids()).not.toContain(invited)
    const deleted = await tablet.list(listUsers, { scope: companyId, results: 50, filters: { includedDel: true } })
    expect(deleted.rows.map(({ row }) => row.id)).toContain(invited)
    expect(deleted.complete).toBe(true)
  })
})

describe('without a network', () => {
  it('the app opens, knows its user, and has the list with an honest age', async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    await app.clock.turn(3_600_000)
    tablet.reopen()
    expect(await tablet.api.call(getUser, {})).toMatchObject({ kind: 'kept', output: { admin: true } })
    const kept = await tablet.api.call(listUsers, users())
    expect(kept).toMatchObject({ kind: 'kept', asOf: app.clock.now() - 3_600_000, output: { count: 7 } })
  })

  it('an hour later the session goes on by itself once the line is back', async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    await retitle(tablet, 2)
    await app.clock.turn(3_600_000)
    tablet.line.state = 'up'
    await tablet.tick()
    expect((await inDatabase(invited)).title).toBe(2)
  })
})

describe('signing out without a network', () => {
  it('leaves no row behind, keeps what waits, and its owner sends it later', async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    await retitle(tablet, 2)
    await tablet.signOut()
    tablet.line.state = 'up'
    await tablet.tick()
    expect((await inDatabase(invited)).title).toBe(0)
    const ended = await pastPolicies(app.server.app.database, (db) =>
      db.selectFrom('session').select('ended').execute(),
    )
    expect(ended.every((one) => one.ended !== null)).toBe(true)
    await comeIn(tablet, 'admin@alpha')
    await tablet.tick()
    expect((await inDatabase(invited)).title).toBe(2)
  })

  it("the next user's tablet work does not touch it", async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    await retitle(tablet, 2)
    await tablet.signOut()
    tablet.line.state = 'up'
    await comeIn(tablet, 'second@alpha')
    await tablet.api.call(disableUser, { params: { id: app.server.world.users['user@alpha'] ?? 0 } })
    await tablet.rest()
    expect((await inDatabase(invited)).title).toBe(0)
    expect(await tablet.waiting()).toBe(0)
  })
})
