/** What a person sees and decides of changes that wait. Over a real server, whose other administrator changes the same users. */
import { screen, within } from '@testing-library/dom'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type, typeConfirmation } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { namesShown, saveUser, userAction } from '#tests/support/pages/users.ts'
import { mailsAnHour } from '#domain/mails.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import { canaries, readUser } from '#tests/support/server/world.ts'

const the = setUpPages()
const nameOf = (role: string) => `${canaries.alpha} ${role}`
const idOf = (role: string) => the.server.world.users[`${role}@alpha`] ?? 0
const stored = (role: string) => readUser(the.server.app, the.server.world, `${role}@alpha`)
const dialog = async () => within(await screen.findByRole('dialog'))
const closed = () => expect.poll(() => screen.queryByRole('dialog')).toBeNull()
const heading = (name: string) => screen.findByRole('heading', { name })
const allSent = () => heading('Everything has been sent')
const entry = async (name: string) => within((await heading(name)).closest('.write') as HTMLElement)
/** What stands there now: it moves to another group when it becomes its user's to decide. */
const says = (name: string, words: string) =>
  expect
    .poll(() => {
      const all = [...document.querySelectorAll('.write')]
      return all.find((one) => one.querySelector('h3')?.textContent === name)?.textContent
    })
    .toContain(words)
const receipt = (name: string) =>
  [...document.querySelectorAll('.receipts li')].map((li) => li.textContent ?? '').find((one) => one.includes(name))

/** The list, read once, and then no line. */
async function cut() {
  await the.browser.openAs('admin@alpha', '/app/user')
  await expect.poll(() => namesShown().length).toBeGreaterThan(0)
  await expect.poll(() => document.querySelector('.freshness')?.textContent).not.toContain('on this device')
  the.browser.goOffline()
}
async function change(who: string, values: Record<string, string>, ...flags: string[]) {
  await the.browser.open(`/app/user?user=${who}`)
  const form = await dialog()
  await expect.poll(() => document.querySelector('[role=dialog] [name=name]')).not.toBeNull()
  await type(the.user, values)
  for (const flag of flags) await the.user.click(form.getByLabelText(flag))
  await saveUser(the.user)
  await closed()
}
/** The id of a user in the list, which shows a change soon after it is saved. */
async function listed(name: string): Promise<string> {
  const link = () =>
    [...document.querySelectorAll<HTMLAnchorElement>('.lead a')].find(({ textContent }) => textContent?.includes(name))
  await expect.poll(link).toBeDefined()
  return new URL(link()?.href ?? '').searchParams.get('user') ?? ''
}
const create = (name: string, email: string) => change('new', { name, email })
async function changeElsewhere(role: string, payload: object) {
  const { send } = await the.server.signIn('second@alpha')
  const answer = await send({ method: 'PUT', url: `/api/m18s/company-user/${idOf(role)}`, payload })
  expect(answer.statusCode).toBe(200)
}
/** Online again on the page of what waits. */
async function meet() {
  await the.browser.open('/app/outbox')
  the.browser.goOnline()
}
const press = async (name: string) => the.user.click(await (await dialog()).findByRole('button', { name }))
const compare = async () => the.user.click(await screen.findByRole('button', { name: 'Compare and choose' }))

describe('a change that met somebody else’s', () => {
  nightly('that all of theirs is kept of is gone, and the row stays as it is', async () => {
    await cut()
    await change(String(idOf('invited')), { name: 'Adrian of Mine' })
    await changeElsewhere('invited', { name: 'Adrian of Theirs' })
    await meet()
    await compare()
    await (await dialog()).findByText(new RegExp(`^${nameOf('second')} changed it`))
    await the.user.click((await dialog()).getByRole('radio', { name: /Adrian of Theirs/ }))
    await press("Keep the server's, discard mine")
    await allSent()
    await expect.poll(() => receipt('Adrian')).toContain('Discarded')
    expect(await stored('invited')).toMatchObject({ name: 'Adrian of Theirs' })
  })

  it('that deletes what was changed meanwhile says so, and asks before it does (protocol 14)', async () => {
    await cut()
    await userAction(the.user, nameOf('invited'), 'Delete')
    await typeConfirmation(the.user, 'invited@alpha.example')
    await press('Delete user')
    await changeElsewhere('invited', { name: 'Alan of Theirs' })
    await meet()
    await compare()
    await (await dialog()).findByText(/it was changed after you last saw it/)
    await (await dialog()).findByText('Alan of Theirs')
    await press('Leave it as it is')
    await allSent()
    expect(await stored('invited')).toMatchObject({ name: 'Alan of Theirs', status: 0 })
  })
})

describe('changes that wait', () => {
  nightly('although there is a connection say for what, when they are saved and afterwards (protocol 16)', async () => {
    const { now } = the.server.clock
    const { alpha } = the.server.world.companies
    await pastPolicies(the.server.app.database, (db) =>
      sql`update company set create_time = ${now} where id = ${alpha}`.execute(db),
    )
    const { send } = await the.server.signIn('second@alpha')
    for (let at = 0; at < mailsAnHour.newCompany; at++) {
      const payload = { name: `Stranger ${at}`, email: `stranger${at}@elsewhere.example`, title: 0 }
      expect((await send({ method: 'POST', url: '/api/m18s/user', payload })).statusCode).toBe(200)
    }
    await the.browser.openAs('admin@alpha', '/app/user')
    await create('Bruno Lam', 'bruno.lam@alpha.example')
    const limit = 'Your company has reached its limit of invitations for now. The next can be sent in 60 min.'
    await screen.findByText(`${limit} Your change is saved on this device and tried again automatically.`)
    await change(await listed('Bruno Lam'), { name: 'Bruno Lam Ka-ho' })
    await screen.findByText(
      `${limit} An earlier change of yours waits for this. The new one is saved on this device and sent after it.`,
    )
    await the.browser.open('/app/outbox')
    await says('New user Bruno Lam', 'Your company has reached its limit of invitations')
    await (await entry('Change name of Bruno Lam')).findByRole('link', { name: 'New user Bruno Lam' })
  })

  it('are told of in one message once they were sent: how many, and which was refused and why (P-11)', async () => {
    await cut()
    await change(String(idOf('user')), {}, 'Alert')
    await create('Bruno Lam', 'bruno.lam@alpha.example')
    const { send } = await the.server.signIn('second@alpha')
    const url = '/api/m18s/user'
    const body = { name: 'Other', email: 'bruno.lam@alpha.example', title: 1 }
    expect((await send({ method: 'POST', url, payload: body })).statusCode).toBeLessThan(300)
    await the.browser.open('/app/home')
    await screen.findByRole('link', { name: '2 changes waiting to be sent' })
    the.browser.goOnline()
    const toast = await screen.findByText(
      /^1 change sent, 1 refused\. New user Bruno Lam: User with the same email exists already/,
    )
    await screen.findByRole('link', { name: '1 change needs review' })
    await expect.poll(() => screen.queryByRole('link', { name: /waiting to be sent/ })).toBeNull()
    await the.user.click(within(toast.closest('.toast') as HTMLElement).getByRole('button', { name: 'Review' }))
    const bruno = await entry('New user Bruno Lam')
    // What only support asks for stands in one place.
    expect(bruno.getByText('Details').closest('details')?.textContent).toMatch(/tried (once|\d+ times).*Request id .+/)
    expect(document.querySelector('.write-foot')?.textContent).not.toMatch(/tried/)
    const told = await screen.findByText(/^Change alert of/)
    expect(told.closest('details')?.textContent).toMatch(/Alert: (yes → no|no → yes)/)
  })

  nightly('say what holds them, and a dropped creation takes its followers along (protocol 15)', async () => {
    await cut()
    await create('Bruno Lam', 'bruno.lam@alpha.example')
    const bruno = await listed('Bruno Lam')
    await change(bruno, {}, 'Alert')
    await change(bruno, { name: 'Bruno Lam Ka-ho' })
    await the.browser.open('/app/outbox')
    await says('Change name of Bruno Lam', 'Name: Bruno Lam → Bruno Lam Ka-ho')
    const way = await (await entry('Change name of Bruno Lam')).findByRole('link', { name: 'New user Bruno Lam' })
    expect(way.getAttribute('href')).toBe(`#${(await heading('New user Bruno Lam')).closest('.write')?.id}`)
    await the.user.click(screen.getByRole('button', { name: 'Send now' }))
    await screen.findByText(/^The server could not be reached\./)

    await the.user.click(await (await entry('Change name of Bruno Lam')).findByRole('button', { name: 'Edit' }))
    await expect.poll(() => document.querySelector('[role=dialog] [name=name]')).not.toBeNull()
    await type(the.user, { name: 'Bruno Lam Ka-wai' })
    await saveUser(the.user)
    await closed()
    await says('Change name of Bruno Lam', 'Name: Bruno Lam → Bruno Lam Ka-wai')
    // Tried in vain: it may have been done.
    const first = await entry('New user Bruno Lam')
    await first.findByRole('button', { name: 'Edit', description: /^It may already be on its way\./ })
    await first.findByRole('button', { name: 'Try again' })

    await the.user.click(await (await entry('New user Bruno Lam')).findByRole('button', { name: 'Discard' }))
    await (await dialog()).findByText('These depend on it and are discarded too:')
    const along = [...document.querySelectorAll('.write-along li')].map(({ textContent }) => textContent)
    expect(along).toEqual(['Change alert of Bruno Lam', 'Change name of Bruno Lam'])
    await press('Discard all 3')
    the.browser.goOnline()
    await allSent()
    await the.browser.open('/app/user?searchText=bruno')
    await heading('No user matches these filters')
  })

  it('for over 30 days are asked about before they are sent, and sent when they are still wanted (protocol 19)', async () => {
    await cut()
    await change(String(idOf('user')), {}, 'Alert')
    // As if it had been made so long ago.
    const { thisDevice } = await import('#local/storage/device.ts')
    const { readSession } = await import('#local/session/session.ts')
    const session = await readSession()
    if (!session) throw new Error('nobody is signed in')
    await thisDevice()
      .of(session)
      .outbox.toCollection()
      .modify((old) => void (old.since -= 31 * 86_400_000))
    await meet()
    const old = `Change alert of ${nameOf('user')}`
    await says(old, 'This has waited for over 30 days.')
    await says(old, 'created 31 days ago')
    expect(await stored('user')).toMatchObject({ alert: false })
    await the.user.click(await (await entry(old)).findByRole('button', { name: 'Send anyway' }))
    await allSent()
    await expect.poll(() => receipt(nameOf('user'))).toContain('Done')
    expect(await stored('user')).toMatchObject({ alert: true })
  })
})
