/** Tests that other tabs continue when the browser freezes a tab that holds a lock. The tab sends by itself, because it has no worker. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTabs, type ChromiumTab, type ChromiumTabs } from '#tests/campaigns/browsers/chromium-tabs.ts'
import type { Person } from '#tests/support/browser/browser.ts'
import { takeOwnCompany, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture } = setUpShared()
/** Maximum time in ms until another tab continues. */
const withinMs = 6_000
const accessCookie = 'portal-access'

let tabs: ChromiumTabs
beforeEach(async () => {
  tabs = await openTabs()
})
afterEach(() => tabs.close())

const open = () =>
  tabs.open(() => {
    delete (Navigator.prototype as unknown as Record<string, unknown>).serviceWorker
    document.addEventListener('freeze', () => localStorage.setItem('frozen', 'yes'), { capture: true })
  })

async function until(
  tab: ChromiumTab,
  description: string,
  isTrue: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
) {
  for (const deadline = performance.now() + timeoutMs; !(await tab.run(isTrue).catch(() => false)); await wait(25))
    if (performance.now() > deadline)
      throw new Error(`not within ${timeoutMs} ms: ${description}\n${await tab.run(() => document.body.innerText)}`)
}

const listed = (tab: ChromiumTab) =>
  until(tab, 'the list is shown', () => document.querySelector('main tbody tr a') !== null)
const toUsers = (tab: ChromiumTab) => tab.goTo(`${fixture.portal.url}/saas/app/user`)

async function signIn(tab: ChromiumTab, { company, username, password }: Person): Promise<void> {
  await toUsers(tab)
  await until(tab, 'the login is shown', () => document.querySelector('input[name="password"]') !== null)
  for (const [name, text] of Object.entries({ company, username, password }))
    await tab.fill(`input[name="${name}"]`, text)
  await tab.run(() => document.querySelector<HTMLElement>('form button[type="submit"]')?.click())
  await listed(tab)
}

async function rename(tab: ChromiumTab, row: number, name: string): Promise<void> {
  await tab.run((index) => document.querySelectorAll<HTMLElement>('tbody .lead a')[index]?.click(), row)
  await until(tab, 'the form is shown', () => document.querySelector('[role="dialog"] input[name="name"]') !== null)
  await tab.fill('[role="dialog"] input[name="name"]', name)
  await tab.run(() => document.querySelector<HTMLElement>('[role="dialog"] button[type="submit"]')?.click())
}

const listHeldLocks = (tab: ChromiumTab) =>
  tab.run(async () => ((await navigator.locks.query()).held ?? []).map(({ name = '' }) => name.split(':')[0] ?? ''))

async function freeze(tab: ChromiumTab, lock: string, otherTab: ChromiumTab): Promise<void> {
  await tab.setLifecycle('frozen')
  await until(otherTab, 'the tab is frozen', () => localStorage.getItem('frozen') === 'yes')
  expect(await listHeldLocks(otherTab)).toContain(lock)
}

it('A tab frozen while it sends does not stop other tabs from sending, and both writes arrive (fault 41e)', async () => {
  const [frozenTab, otherTab] = [await open(), await open()]
  await signIn(frozenTab, takeOwnCompany().admin)
  await toUsers(otherTab)
  await listed(otherTab)
  const hangPromise = frozenTab.hang(({ method }) => method === 'PUT')
  await rename(frozenTab, 1, 'Aa before the freeze')
  const resumeRequest = await hangPromise
  await freeze(frozenTab, 'drain', otherTab)
  const startedAt = performance.now()
  await rename(otherTab, 2, 'Aa beside the freeze')
  await until(otherTab, 'the other write is sent', () => {
    const row = [...document.querySelectorAll('tbody tr')].find((word) =>
      word.textContent.includes('beside the freeze'),
    )
    return row !== undefined && !row.querySelector('.pending-mark')
  })
  expect(performance.now() - startedAt).toBeLessThan(withinMs)
  await frozenTab.setLifecycle('active')
  await resumeRequest()
  await toUsers(otherTab)
  const isAll = () => {
    const text = document.querySelector('tbody')?.textContent ?? ''
    return (
      ['before', 'beside'].every((word) => text.includes(`Aa ${word} the freeze`)) &&
      !document.querySelector('.bar-waiting, .pending-mark')
    )
  }
  await until(otherTab, 'both writes are done', isAll, 90_000)
}, 180_000)

it('A tab frozen while it renews the session does not stop other tabs from renewing it (fault 41f)', async () => {
  const [frozenTab, otherTab] = [await open(), await open()]
  await signIn(frozenTab, takeOwnCompany().admin)
  await otherTab.goTo(`${fixture.portal.url}/`)
  const hangPromise = frozenTab.hang(({ url }) => url.endsWith('/token'))
  await frozenTab.clearCookie(accessCookie, `${fixture.portal.url}/saas/`)
  await toUsers(frozenTab)
  await hangPromise
  await freeze(frozenTab, 'portal-renew', otherTab)
  const startedAt = performance.now()
  await toUsers(otherTab)
  await until(otherTab, 'the session is renewed', async () => (await cookieStore.get('portal-access')) !== null)
  expect(performance.now() - startedAt).toBeLessThan(withinMs)
  await listed(otherTab)
}, 120_000)
