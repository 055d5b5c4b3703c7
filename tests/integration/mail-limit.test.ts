/** Invitations that the server takes only so many of in an hour, as the outbox of a real tablet sees it. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sql } from 'kysely'
import { mailsAnHour } from '#domain/mails.ts'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

let app: Installation
let tablet: Tablet

beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())
beforeEach(async () => {
  const { companies } = await app.server.reset()
  const { database } = app.server.app
  await pastPolicies(database, (db) => sql`update company set create_time = ${app.server.clock.now}`.execute(db))
  tablet = await app.signedIn('admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId: companies.alpha } })
  await tablet.rest()
})

const invite = (name: string) =>
  tablet.api.call(createUser, {
    body: { title: 0, name, email: `${name}@elsewhere.example`, admin: false, order: false, alert: false },
  })
const back = async () => {
  tablet.line.state = 'up'
  await tablet.tick()
  await tablet.rest()
}
const made = () =>
  pastPolicies(app.server.app.database, async (db) => {
    const found = await db
      .selectFrom('portal_user')
      .select('name')
      .where('email', 'like', '%elsewhere.example')
      .execute()
    return found.map(({ name }) => name).sort()
  })

it('those that are too many wait, say why, hold up nothing, and are sent when it is their time', async () => {
  tablet.line.state = 'down'
  const names = Array.from({ length: mailsAnHour.newCompany + 5 }, (_, at) => `stranger${at}`)
  for (const name of names) await invite(name)
  const id = app.server.world.users['invited@alpha'] ?? 0
  await tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 1 } })
  await back()

  expect(await made()).toHaveLength(mailsAnHour.newCompany)
  const left = await tablet.entries()
  expect(left).toMatchObject(
    names.slice(mailsAnHour.newCompany).map((name) => ({
      state: 'waiting',
      input: { body: { name } },
      problem: { code: 'COMPANY_MAIL_LIMIT' },
    })),
  )

  const why = await createOutboxActions(tablet.ports).whyWaits(left[0]?.intent ?? '')
  expect(why).toMatchObject({ why: 'mails' })

  await app.clock.turn(30 * 60_000)
  await back()
  expect(await tablet.entries()).toHaveLength(5)
  await app.clock.turn(35 * 60_000)
  await back()
  expect(await tablet.entries()).toEqual([])
  expect(await made()).toEqual(names.toSorted())
})

it('one more, while there is a connection, waits too', async () => {
  for (let at = 0; at < mailsAnHour.newCompany; at++) expect((await invite(`stranger${at}`)).kind).toBe('fresh')
  expect(await invite('late')).toMatchObject({ kind: 'queued' })
  await tablet.rest()
  expect(await tablet.entries()).toMatchObject([{ state: 'waiting', problem: { code: 'COMPANY_MAIL_LIMIT' } }])
})
