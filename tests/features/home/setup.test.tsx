/** Tests the first steps on the home page of a new company and of a new provider (decision 112). */
import { screen, within } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { writeAsSystem } from '#server/db/transaction.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()

const findCard = async () => within(await screen.findByRole('region', { name: /^Get started/ }))
const queryCard = () => screen.queryByRole('region', { name: /^Get started/ })

it('A new company sees its steps in place of "You\'re all caught up", offline too, until it hides them', async () => {
  await activateAll()
  await fixture.browser.openAs('second@alpha', '/app/home')
  const card = await findCard()
  card.getByRole('heading', { name: 'Get started 2 of 4 steps done' })
  expect(screen.queryByText("You're all caught up")).toBeNull()
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Home')
  expect(card.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    expect.stringMatching(/^Company address.*Done$/),
    expect.stringMatching(/^Invite a colleague.*Done$/),
    expect.stringMatching(/^Two-step login.*Turn on/),
    expect.stringMatching(/^First contract.*New contract/),
  ])
  expect(card.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/saas/app/profile/security',
    '/saas/app/contract/new',
  ])
  fixture.browser.goOffline()
  await fixture.browser.open('/app/home')
  const offlineCard = await findCard()
  offlineCard.getByText('Updated just now')
  await fixture.user.click(offlineCard.getByRole('button', { name: 'Hide these steps' }))
  await screen.findByText("You're all caught up")
  expect(document.activeElement?.textContent).toBe('Home')
  await fixture.user.click(screen.getByRole('button', { name: 'Undo' }))
  await fixture.user.click((await findCard()).getByRole('button', { name: 'Hide these steps' }))
  await fixture.browser.open('/app/home')
  await screen.findByText("You're all caught up")
  expect(queryCard()).toBeNull()
})

it('An admin without the order flag is not offered the first contract, and other users see no steps', async () => {
  await fixture.browser.openAs('admin@alpha', '/app/home')
  ;(await findCard()).getByRole('heading', { name: 'Get started 2 of 3 steps done' })
  await fixture.browser.openAs('order@alpha', '/app/home')
  await screen.findByText("You're all caught up")
  expect(queryCard()).toBeNull()
})

it('A new provider sees what is set in the portal, and the names of the settings of the server', async () => {
  await fixture.browser.openAs('admin@m18', '/app/home')
  const card = await findCard()
  card.getByRole('heading', { name: 'Get started 0 of 5 steps done' })
  expect(card.getByRole('link', { name: 'Price lists Price list' }).getAttribute('href')).toBe('/saas/app/m18/price')
  for (const name of ['SMTP_URL', 'STRIPE_SECRET_KEY', 'SERVICE_IMAGE']) card.getByText(name)
  card.getByText('See “Mail” in docs/operating.md.')
})

it('Nothing says "You\'re all caught up" before the steps are known', async () => {
  await activateAll()
  const { promise: answerReleased, resolve: releaseAnswer } = Promise.withResolvers<void>()
  const send = globalThis.fetch
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    if ((input instanceof Request ? input.url : input).endsWith('/api/m18s/setup')) await answerReleased
    return send(input, init)
  })
  let wasCaughtUp = false
  const observer = new MutationObserver(() => {
    wasCaughtUp ||= screen.queryByText("You're all caught up") !== null
  })
  observer.observe(document, { childList: true, subtree: true, characterData: true })
  await fixture.browser.openAs('second@alpha', '/app/home')
  const figures = within(await screen.findByRole('list', { name: 'Overview' }))
  await expect.poll(() => figures.queryByText('–')).toBeNull()
  releaseAnswer()
  await findCard()
  observer.disconnect()
  expect(wasCaughtUp).toBe(false)
})

it('Steps that were hidden offline are hidden on the other devices once this one is online again', async () => {
  await activateAll()
  const id = fixture.server.world.users['second@alpha'] ?? 0
  const readHidden = () =>
    writeAsSystem(fixture.server.app, async (db) => {
      const user = await db.selectFrom('portal_user').select('is_setup_hidden').where('id', '=', id).executeTakeFirst()
      return user?.is_setup_hidden
    })
  await fixture.browser.openAs('second@alpha', '/app/home')
  await findCard()
  fixture.browser.goOffline()
  await fixture.user.click((await findCard()).getByRole('button', { name: 'Hide these steps' }))
  await expect.poll(queryCard).toBeNull()
  expect(await readHidden()).toBe(false)
  fixture.browser.goOnline()
  await expect.poll(readHidden).toBe(true)
  // Another device has nothing stored.
  localStorage.clear()
  await fixture.browser.openAs('second@alpha', '/app/home')
  await screen.findByText("You're all caught up")
  expect(queryCard()).toBeNull()
  // An "Undo" that is not sent yet counts there, although the stored answer says that they are hidden.
  fixture.browser.goOffline()
  localStorage.setItem(`portal.setup.${id}.unsent`, 'shown')
  await fixture.browser.open('/app/home')
  await findCard()
  fixture.browser.goOnline()
  await expect.poll(readHidden).toBe(false)
})

/** Invited users are listed under "Needs attention". */
const activateAll = () =>
  writeAsSystem(fixture.server.app, (db) =>
    db.updateTable('portal_user').set({ status: 1 }).where('status', '=', 0).execute(),
  )
