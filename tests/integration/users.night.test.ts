import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { createUser, deleteUser, disableUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { signInAs, openInstallation, type Installation } from '#tests/support/device/app.ts'

let installation: Installation
let companyId: number
let invitedId: number

beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())
beforeEach(async () => {
  const world = await installation.server.reset()
  companyId = world.companies.alpha
  invitedId = world.users['invited@alpha'] ?? 0
})

const buildListInput = () => ({ params: { companyId }, query: { results: 50 } })
async function signInTablet(userName = 'admin@alpha'): Promise<Tablet> {
  const tablet = await installation.signInTablet(userName)
  await tablet.api.call(listUsers, buildListInput())
  await tablet.settle()
  return tablet
}
const changeTitle = (tablet: Tablet, title: 0 | 1 | 2, id = invitedId) =>
  tablet.api.call(updateCompanyUser, { params: { id }, body: { title } })
const readStoredUser = (id: number) =>
  bypassPolicies(installation.server.app.database, (db) =>
    db.selectFrom('portal_user').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  )
const readTrail = (operation: string) =>
  bypassPolicies(installation.server.app.database, (db) =>
    db
      .selectFrom('audit_entry')
      .selectAll()
      .where('company_id', '=', companyId)
      .where(sql<boolean>`operation = ${operation}`)
      .execute(),
  )
const findAttempts = (tablet: Tablet) => tablet.connection.log.filter(({ request }) => request.headers[headers.key])

describe('changing a user', () => {
  it('shows the new row if online, and queues nothing', async () => {
    const tablet = await signInTablet()
    expect(await changeTitle(tablet, 2)).toMatchObject({ kind: 'fresh', output: { id: invitedId, title: 2 } })
    expect(await tablet.row('users', invitedId)).toMatchObject({ row: { title: 2 }, waiting: null })
    expect(await tablet.countWaiting()).toBe(0)
  })

  it('takes effect after reconnecting if it was done offline, with one audit entry', async () => {
    const tablet = await signInTablet()
    const entryCountBefore = (await readTrail('update')).length
    tablet.connection.state = 'down'
    expect((await changeTitle(tablet, 2)).kind).toBe('queued')
    expect((await readStoredUser(invitedId)).title).toBe(0)
    tablet.connection.state = 'up'
    await tablet.tick()
    expect((await readStoredUser(invitedId)).title).toBe(2)
    expect(await tablet.countWaiting()).toBe(0)
    expect((await readTrail('update')).length - entryCountBefore).toBe(1)
  })

  it('takes effect once if the response was lost after the commit', async () => {
    const tablet = await signInTablet()
    const version = (await readStoredUser(invitedId)).row_version
    tablet.connection.state = 'answers lost'
    expect((await changeTitle(tablet, 2)).kind).toBe('queued')
    await tablet.tick()
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(findAttempts(tablet)).toHaveLength(3)
    expect(await readStoredUser(invitedId)).toMatchObject({ title: 2, row_version: version + 1 })
    expect(await tablet.countWaiting()).toBe(0)
    expect(await tablet.row('users', invitedId)).toMatchObject({ row: { row_version: version + 1 }, waiting: null })
  })

  it('bases a second offline change on the first one, and both arrive', async () => {
    const tablet = await signInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet, 1)
    const cachedRow = await tablet.row('users', invitedId)
    if (!cachedRow) throw new Error('the row is not here')
    const base = { rowVersion: getBaseVersion(cachedRow), values: { name: 'x' } }
    await tablet.api.call(updateCompanyUser, { params: { id: invitedId }, body: { name: 'New name' } }, { base })
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await readStoredUser(invitedId)).toMatchObject({ title: 1, name: 'New name' })
    expect(await tablet.entries()).toEqual([])
  })

  it('becomes a conflict with the current row if somebody else changed it (R-09)', async () => {
    const [tablet, other] = [await signInTablet(), await signInTablet('second@alpha')]
    tablet.connection.state = 'down'
    await changeTitle(tablet, 1)
    await changeTitle(other, 2)
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toMatchObject([
      { state: 'conflict', problem: { code: 'VERSION_CONFLICT', data: { current: { title: 2 } } } },
    ])
    expect((await readStoredUser(invitedId)).title).toBe(2)
  })

  it('is applied once to the current row if it is saved again after a conflict', async () => {
    const [tablet, other] = [await signInTablet(), await signInTablet('second@alpha')]
    await tablet.api.call(listUsers, buildListInput())
    await changeTitle(other, 2)
    const base = { rowVersion: 1, values: { title: 0 } }
    const change = { params: { id: invitedId }, body: { title: 1 as const } }
    const conflict = await tablet.api.call(updateCompanyUser, change, { base })
    expect(conflict).toMatchObject({ kind: 'problem', problem: { code: 'VERSION_CONFLICT' } })
    const intent = conflict.kind === 'problem' ? (conflict.intent ?? '') : ''
    expect(await tablet.api.call(updateCompanyUser, change, { base, intent })).toMatchObject({ kind: 'fresh' })
    expect(await readStoredUser(invitedId)).toMatchObject({ title: 1, row_version: 3 })
    expect(await tablet.entries()).toEqual([])
  })

  it('returns a refused input to its form, where it can be corrected', async () => {
    const tablet = await signInTablet()
    const make = (email: string, intent?: string) =>
      tablet.api.call(
        createUser,
        { body: { title: 0, name: 'Someone', email, admin: false, order: false, alert: false } },
        intent === undefined ? {} : { intent },
      )
    const refusal = await make('admin@alpha.example')
    expect(refusal).toMatchObject({ kind: 'problem', problem: { code: 'DUP_USER' } })
    expect(await tablet.countWaiting()).toBe(0)
    const intent = refusal.kind === 'problem' ? refusal.intent : undefined
    expect((await make('someone@alpha.example', intent)).kind).toBe('fresh')
    expect((await readTrail('create')).map(({ status }) => status).sort()).toEqual([-1, 0])
  })

  it('keeps an offline write that the server refuses on the device, with its problem', async () => {
    const tablet = await signInTablet()
    tablet.connection.state = 'down'
    await tablet.api.call(createUser, {
      body: { title: 0, name: 'Someone', email: 'admin@alpha.example', admin: false, order: false, alert: false },
    })
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toMatchObject([{ state: 'refused', problem: { code: 'DUP_USER' } }])
    const userList = await tablet.list(listUsers, { scope: companyId, results: 50 })
    expect(userList.rows.filter(({ waiting }) => waiting)).toMatchObject([{ waiting: { state: 'refused' } }])
  })

  it('never queues an access level: offline it returns NEEDS_CONNECTION', async () => {
    const tablet = await signInTablet()
    tablet.connection.state = 'down'
    const result = await tablet.api.call(updateCompanyUser, { params: { id: invitedId }, body: { admin: true } })
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    expect(await tablet.countWaiting()).toBe(0)
    tablet.connection.state = 'up'
    const cachedRow = await tablet.row('users', invitedId)
    const base = { rowVersion: cachedRow ? getBaseVersion(cachedRow) : 0, values: { admin: false } }
    const secondResult = await tablet.api.call(
      updateCompanyUser,
      { params: { id: invitedId }, body: { admin: true } },
      { base },
    )
    expect(secondResult).toMatchObject({ kind: 'fresh', output: { admin: true } })
    expect(await tablet.row('users', invitedId)).toMatchObject({ row: { admin: true } })
  })

  it('takes effect once if a form is resent after a lost response', async () => {
    const tablet = await signInTablet()
    const grant = (intent?: string) =>
      tablet.api.call(
        updateCompanyUser,
        { params: { id: invitedId }, body: { admin: true } },
        { base: { rowVersion: 1, values: { admin: false } }, ...(intent === undefined ? {} : { intent }) },
      )
    tablet.connection.state = 'answers lost'
    const lostResult = await grant()
    tablet.connection.state = 'up'
    const intent = lostResult.kind === 'problem' ? lostResult.intent : undefined
    expect(await grant(intent)).toMatchObject({ kind: 'fresh', output: { admin: true } })
    expect(await readStoredUser(invitedId)).toMatchObject({ row_version: 2 })
  })
})

describe('a user created offline', () => {
  it('can be edited and disabled before it has an id; all writes arrive in order', async () => {
    const tablet = await signInTablet()
    tablet.connection.state = 'down'
    const createResult = await tablet.api.call(createUser, {
      body: {
        title: 0,
        name: 'Made on a train',
        email: 'train@alpha.example',
        admin: false,
        order: false,
        alert: false,
      },
    })
    const id = `~${createResult.kind === 'queued' ? createResult.intent : ''}` as const
    await tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 2 } })
    await tablet.api.call(updateCompanyUser, { params: { id }, body: { order: true } })
    const localList = await tablet.list(listUsers, { scope: companyId, results: 50, filters: { searchText: 'train' } })
    expect(localList.rows).toMatchObject([{ row: { id, title: 2, order: true }, waiting: { action: 'change' } }])
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    const userRow = await tablet.row('users', id)
    expect(userRow).toMatchObject({ row: { name: 'Made on a train', title: 2, order: true }, waiting: null })
    expect(await readStoredUser(Number(userRow?.row.id))).toMatchObject({ title: 2, orders: true })
  })
})

describe('deleting a user', () => {
  it('hides the row while offline, and keeps it hidden after the server has deleted it', async () => {
    const tablet = await signInTablet()
    const ids = async () =>
      (await tablet.list(listUsers, { scope: companyId, results: 50 })).rows.map(({ row }) => row.id)
    tablet.connection.state = 'down'
    await tablet.api.call(deleteUser, { params: { id: invitedId } })
    expect(await ids()).not.toContain(invitedId)
    tablet.connection.state = 'up'
    await tablet.tick()
    expect((await readStoredUser(invitedId)).status).toBe(-2)
    expect(await ids()).not.toContain(invitedId)
    // The clock is advanced, because a list read in the same millisecond as the deletion could be older or newer.
    await installation.clock.advance(1)
    await tablet.api.call(listUsers, buildListInput())
    await tablet.settle()
    expect(await ids()).not.toContain(invitedId)
    const deleted = await tablet.list(listUsers, { scope: companyId, results: 50, filters: { includedDel: true } })
    expect(deleted.rows.map(({ row }) => row.id)).toContain(invitedId)
    expect(deleted.complete).toBe(true)
  })
})

describe('the app without a network', () => {
  it("opens with its user's data, and shows the list with its age", async () => {
    const tablet = await signInTablet()
    tablet.connection.state = 'down'
    await installation.clock.advance(3_600_000)
    tablet.reopen()
    expect(await tablet.api.call(getUser, {})).toMatchObject({ kind: 'cached', output: { admin: true } })
    const cachedList = await tablet.api.call(listUsers, buildListInput())
    expect(cachedList).toMatchObject({
      kind: 'cached',
      asOf: installation.clock.now() - 3_600_000,
      output: { count: 7 },
    })
  })

  it('resumes the session by itself when the network is back after an hour', async () => {
    const tablet = await signInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet, 2)
    await installation.clock.advance(3_600_000)
    tablet.connection.state = 'up'
    await tablet.tick()
    expect((await readStoredUser(invitedId)).title).toBe(2)
  })
})

describe('signing out without a network', () => {
  it('ends the session on the server after reconnecting, and keeps the waiting write for its owner', async () => {
    const tablet = await signInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet, 2)
    await tablet.signOut()
    tablet.connection.state = 'up'
    await tablet.tick()
    expect((await readStoredUser(invitedId)).title).toBe(0)
    const sessions = await bypassPolicies(installation.server.app.database, (db) =>
      db.selectFrom('session').select('ended').execute(),
    )
    expect(sessions.every((session) => session.ended !== null)).toBe(true)
    await signInAs(tablet, 'admin@alpha')
    await tablet.tick()
    expect((await readStoredUser(invitedId)).title).toBe(2)
  })

  it('keeps the waiting write unsent while the next user works on the tablet', async () => {
    const tablet = await signInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet, 2)
    await tablet.signOut()
    tablet.connection.state = 'up'
    await signInAs(tablet, 'second@alpha')
    await tablet.api.call(disableUser, { params: { id: installation.server.world.users['user@alpha'] ?? 0 } })
    await tablet.settle()
    expect((await readStoredUser(invitedId)).title).toBe(0)
    expect(await tablet.countWaiting()).toBe(0)
  })
})
