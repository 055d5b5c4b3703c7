/** Tests the device of a member of the provider's staff who acts for a customer, against the real server (decision 111). */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { getCompany, getUser, updateCompany } from '#contract/accounts.ts'
import { rebootService } from '#contract/services.ts'
import { createCustomerNote, listCustomerNotes } from '#contract/staff/customer-notes.ts'
import { giveConsent, revokeConsent, startActing, stopActing } from '#contract/staff/acting-calls.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { recordsToText } from '#local/storage/record-text.ts'
import { endOverdueActing } from '#local/session/session.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { canaries } from '#tests/support/server/world.ts'

const hourMs = 3_600_000
let installation: Installation
let alpha: number
let m18: number
let staffId: number
let customer: Tablet
beforeAll(async () => {
  // Longer than the consents, so that only they end.
  installation = await openInstallation({ PROVIDER_REFRESH_IDLE_SECONDS: '43200' })
  const { world } = installation.server
  ;({ alpha, m18 } = world.companies)
  staffId = world.users['admin@m18'] ?? 0
  customer = await installation.signInTablet('admin@alpha')
}, 60_000)
afterAll(() => installation.close())

const readSubject = async (tablet: Tablet) => {
  const session = await tablet.session()
  return session && [session.companyId, session.userId, session.actingUntil !== undefined]
}
const dump = async (tablet: Tablet, companyId: number) => {
  const db = tablet.device.getDatabase({ companyId, userId: staffId })
  return recordsToText(await Promise.all(db.tables.map((table) => table.toArray())))
}
const usersInput = () => ({ params: { companyId: alpha } })

/** Returns the staff's device, which acts for the customer and stores its users, and the id of the consent. */
async function openActingTablet(allowsChanges = false) {
  const consent = await customer.api.call(giveConsent, { body: { hours: 2, allows_changes: allowsChanges } })
  if (consent.kind !== 'fresh') throw new Error(JSON.stringify(consent))
  const tablet = await installation.signInTablet('admin@m18')
  await tablet.api.call(listCustomerNotes, usersInput())
  await tablet.settle()
  const result = await tablet.api.call(startActing, usersInput())
  expect([result.kind, await readSubject(tablet)]).toEqual(['fresh', [alpha, staffId, true]])
  await tablet.api.call(listUsers, usersInput())
  await tablet.settle()
  expect(await dump(tablet, alpha)).toContain(canaries.alpha)
  return { tablet, consentId: consent.output.id }
}

it('Starting opens the customer, changes nothing there, and stopping deletes its data and keeps the own', async () => {
  const { tablet, consentId } = await openActingTablet()
  const user = await tablet.api.call(getUser, {})
  expect(user).toMatchObject({ kind: 'fresh', output: { id: staffId, company_id: alpha, admin: true } })
  const ownBefore = await dump(tablet, m18)
  expect(ownBefore).toContain('/note')

  const renaming = await tablet.api.call(updateCompanyUser, { params: { id: 1 }, body: { name: 'Changed' } })
  expect(renaming).toMatchObject({ kind: 'problem', problem: { code: 'ACTING_READ_ONLY' } })
  expect(await tablet.countWaiting()).toBe(0)
  const note = await tablet.api.call(createCustomerNote, { ...usersInput(), body: { text: 'x' } })
  expect(note).toMatchObject({ kind: 'problem', problem: { code: 'ACTING_READ_ONLY' } })

  expect((await tablet.api.call(stopActing, {})).kind).toBe('fresh')
  await tablet.settle()
  expect(await readSubject(tablet)).toEqual([m18, staffId, false])
  expect(await dump(tablet, alpha)).not.toMatch(/ALPHA|users|draft/)
  expect(await dump(tablet, m18)).toContain('/note')
  expect((await tablet.api.call(getUser, {})).kind).toBe('fresh')
  await customer.api.call(revokeConsent, { params: { id: consentId } })
})

it('A revoked consent ends acting with the next request, and what was asked for the own company is repeated', async () => {
  const { tablet, consentId } = await openActingTablet()
  await customer.api.call(revokeConsent, { params: { id: consentId } })
  const refused = await tablet.api.call(getCompany, { params: { id: alpha } })
  expect(refused).toMatchObject({ kind: 'problem', problem: { code: 'ACTING_ENDED' } })
  await tablet.settle()
  expect(await readSubject(tablet)).toEqual([m18, staffId, false])
  expect(await dump(tablet, alpha)).not.toContain(canaries.alpha)
  expect(await tablet.api.call(getUser, {})).toMatchObject({ kind: 'fresh', output: { company_id: m18 } })
})

it('Without a connection the data can be read until the consent is over, and is then deleted', async () => {
  const { tablet } = await openActingTablet()
  tablet.connection.state = 'down'
  expect((await tablet.api.call(listUsers, usersInput())).kind).toBe('cached')
  expect(await endOverdueActing(tablet.device, installation.clock.now() + 2 * hourMs - 1_000)).toBe(false)
  await installation.clock.advance(2 * hourMs)
  expect(await endOverdueActing(tablet.device, installation.clock.now())).toBe(true)
  await tablet.settle()
  expect(await readSubject(tablet)).toEqual([m18, staffId, false])
  expect(await dump(tablet, alpha)).not.toContain(canaries.alpha)
  expect(await dump(tablet, m18)).toContain('/note')
  // The server still has the session in the state of acting. The first request ends that and is repeated.
  tablet.connection.state = 'up'
  expect(await tablet.api.call(listCustomerNotes, usersInput())).toMatchObject({ kind: 'fresh', output: [] })
})

it('A lost response to the stop does not end the session when its token is renewed', async () => {
  const { tablet, consentId } = await openActingTablet()
  tablet.connection.state = 'answers lost'
  expect((await tablet.api.call(stopActing, {})).kind).toBe('problem')
  tablet.connection.state = 'up'
  // The token expires, but not the consent.
  await installation.clock.advance(hourMs)
  // The first call renews the token, and the next one returns the device to the own company.
  for (const name of ['renewed', 'next'])
    expect([name, await tablet.api.call(getUser, {})]).toMatchObject([name, { output: { company_id: m18 } }])
  await tablet.settle()
  expect(await readSubject(tablet)).toEqual([m18, staffId, false])
  customer = await installation.signInTablet('admin@alpha')
  await customer.api.call(revokeConsent, { params: { id: consentId } })
})

it('Logging out while acting deletes the data of both companies', async () => {
  const { tablet, consentId } = await openActingTablet()
  await tablet.signOut()
  await tablet.settle()
  expect(await tablet.session()).toBeNull()
  expect(await dump(tablet, alpha)).not.toContain(canaries.alpha)
  expect(await dump(tablet, m18)).not.toContain('/note')
  await customer.api.call(revokeConsent, { params: { id: consentId } })
})

it('A change for the customer is sent at once or not at all: nothing waits on the device', async () => {
  const { tablet, consentId } = await openActingTablet(true)
  const changeWebsite = (website: string, intent?: string) =>
    tablet.api.call(updateCompany, { params: { id: alpha }, body: { website } }, intent === undefined ? {} : { intent })
  expect(await changeWebsite('https://kowloon.example')).toMatchObject({
    kind: 'fresh',
    output: { website: 'https://kowloon.example', id: alpha },
  })
  const refused = await tablet.api.call(updateCompany, { params: { id: alpha }, body: { name: 'Other' } })
  expect(refused).toMatchObject({ kind: 'problem', problem: { code: 'ACTING_READ_ONLY' } })

  tablet.connection.state = 'down'
  const unsent = await changeWebsite('https://shatin.example')
  expect(unsent).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' }, intent: expect.any(String) })
  expect(await tablet.countWaiting()).toBe(0)
  tablet.connection.state = 'up'
  const intent = unsent.kind === 'problem' ? unsent.intent : undefined
  expect(await changeWebsite('https://shatin.example', intent)).toMatchObject({
    kind: 'fresh',
    output: { website: 'https://shatin.example' },
  })

  await customer.api.call(revokeConsent, { params: { id: consentId } })
  expect(await changeWebsite('https://late.example')).toMatchObject({ kind: 'problem' })
  await tablet.settle()
  expect(await readSubject(tablet)).toEqual([m18, staffId, false])
  expect(await tablet.countWaiting()).toBe(0)
  const stored = await customer.api.call(getCompany, { params: { id: alpha } })
  expect(stored).toMatchObject({ output: { website: 'https://shatin.example' } })
})

it('A change whose response was lost is stored on the device when it is sent again, so that the next one is based on it', async () => {
  const { tablet, consentId } = await openActingTablet(true)
  const input = { params: { id: alpha }, body: { website: 'https://first.example' } }
  const readStored = async () => {
    const db = tablet.device.getDatabase({ companyId: alpha, userId: staffId })
    return JSON.stringify(await Promise.all(db.tables.map((table) => table.toArray())))
  }
  tablet.connection.state = 'answers lost'
  const lost = await tablet.api.call(updateCompany, input)
  expect(lost).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
  tablet.connection.state = 'up'
  const intent = lost.kind === 'problem' ? (lost.intent ?? '') : ''
  expect(await tablet.api.call(updateCompany, input, { intent })).toMatchObject({ kind: 'fresh' })
  expect(await readStored()).toContain('"website":"https://first.example"')
  await customer.api.call(revokeConsent, { params: { id: consentId } })
})

it('A page that still shows the customer does not run a long request as one of the own company', async () => {
  const { tablet, consentId } = await openActingTablet(true)
  const reboot = (companyId: number) =>
    tablet.api.call(rebootService, { params: { id: 1 } }, { shownTo: { companyId, userId: staffId } })
  expect(await reboot(m18)).toMatchObject({ kind: 'problem', problem: { code: 'ACTING_READ_ONLY' } })
  await tablet.api.call(stopActing, {})
  await tablet.settle()
  const sent = tablet.connection.log.length
  expect(await reboot(alpha)).toMatchObject({ kind: 'problem', problem: { code: 'ACTING_ENDED' } })
  expect(tablet.connection.log).toHaveLength(sent)
  await customer.api.call(revokeConsent, { params: { id: consentId } })
})
