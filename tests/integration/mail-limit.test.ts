/** Tests how a tablet's outbox handles the server's hourly limit of invitations. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sql } from 'kysely'
import { mailsPerHour } from '#domain/mails.ts'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

let installation: Installation
let tablet: Tablet

beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())
beforeEach(async () => {
  const { companies } = await installation.server.reset()
  const { database } = installation.server.app
  await bypassPolicies(database, (db) =>
    sql`update company set create_time = ${installation.server.clock.now}`.execute(db),
  )
  tablet = await installation.signInTablet('admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId: companies.alpha } })
  await tablet.settle()
})

const inviteUser = (name: string) =>
  tablet.api.call(createUser, {
    body: { title: 0, name, email: `${name}@elsewhere.example`, admin: false, order: false, alert: false },
  })
const reconnect = async () => {
  tablet.connection.state = 'up'
  await tablet.tick()
  await tablet.settle()
}
const readInvitedNames = () =>
  bypassPolicies(installation.server.app.database, async (db) => {
    const rows = await db
      .selectFrom('portal_user')
      .select('name')
      .where('email', 'like', '%elsewhere.example')
      .execute()
    return rows.map(({ name }) => name).sort()
  })

it('Invitations above the mail limit wait with a reason, do not block other writes, and are sent later', async () => {
  tablet.connection.state = 'down'
  const names = Array.from({ length: mailsPerHour.newCompany + 5 }, (_, index) => `stranger${index}`)
  for (const name of names) await inviteUser(name)
  const id = installation.server.world.users['invited@alpha'] ?? 0
  await tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 1 } })
  await reconnect()

  expect(await readInvitedNames()).toHaveLength(mailsPerHour.newCompany)
  const waitingEntries = await tablet.entries()
  expect(waitingEntries).toMatchObject(
    names.slice(mailsPerHour.newCompany).map((name) => ({
      state: 'waiting',
      input: { body: { name } },
      problem: { code: 'COMPANY_MAIL_LIMIT' },
    })),
  )

  const waitReason = await createOutboxActions(tablet.ports).getWaitReason(waitingEntries[0]?.intent ?? '')
  expect(waitReason).toMatchObject({ kind: 'mails' })

  await installation.clock.advance(30 * 60_000)
  await reconnect()
  expect(await tablet.entries()).toHaveLength(5)
  await installation.clock.advance(35 * 60_000)
  await reconnect()
  expect(await tablet.entries()).toEqual([])
  expect(await readInvitedNames()).toEqual(names.toSorted())
})

it('One invitation above the limit waits even while online', async () => {
  for (let index = 0; index < mailsPerHour.newCompany; index++)
    expect((await inviteUser(`stranger${index}`)).kind).toBe('fresh')
  expect(await inviteUser('late')).toMatchObject({ kind: 'queued' })
  await tablet.settle()
  expect(await tablet.entries()).toMatchObject([{ state: 'waiting', problem: { code: 'COMPANY_MAIL_LIMIT' } }])
})
