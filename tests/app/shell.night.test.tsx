/** Tests the layout of the portal: access, language, colours and the status of the connection. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { getButton, readDescription, findHeading } from '#tests/support/pages/fields.ts'
import { limitByDay, nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
const chooseMenuItem = async (name: string | RegExp, item: string, role = 'menuitem') => {
  await fixture.user.click(await screen.findByRole('button', { name }))
  await fixture.user.click(await screen.findByRole(role, { name: item }))
}

describe('the open tasks on the home page', () => {
  it('are shown as "Not known yet" offline if no list was read', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/profile/user')
    fixture.browser.goOffline()
    const [link] = screen.getAllByRole('link', { name: 'Home' })
    if (link) await fixture.user.click(link)
    await screen.findByText('Not known yet')
    expect(screen.queryByText("You're all caught up")).toBeNull()
    fixture.browser.goOnline()
    await screen.findAllByText(/ha(s|ve) not activated the|You're all caught up/)
    expect(screen.queryByText('Not known yet')).toBeNull()
  })

  nightly('are not shown as "all caught up" before the first lists are loaded', async () => {
    const homeTexts: string[] = []
    const observer = new MutationObserver(() =>
      homeTexts.push(document.querySelector('.home-nothing')?.textContent ?? ''),
    )
    observer.observe(document, { childList: true, subtree: true })
    await fixture.browser.openAs('admin@alpha')
    await screen.findAllByText(/ha(s|ve) not activated the/)
    observer.disconnect()
    expect(homeTexts.filter((text) => text.includes("You're all caught up"))).toEqual([])
  })
})

nightly('A new sort order in the address renders the list again, but not the layout around it', async () => {
  await fixture.browser.openAs('admin@alpha', '/app/user')
  const table = await screen.findByRole('table', { name: /Users/ })
  const readSortedColumn = () => document.querySelector('th[aria-sort]')?.textContent
  await fixture.user.click(await within(table).findByRole('button', { name: 'Status' }))
  expect(readSortedColumn()).toBe('Status')
  history.back()
  await expect.poll(readSortedColumn).toBe('Name')
  // Every rendered text calls the translation function, so the calls show what was rendered again.
  const translate = vi.spyOn((await import('#ui/i18n/messages.ts')).i18n, 't')
  history.forward()
  await expect.poll(readSortedColumn).toBe('Status')
  const texts = translate.mock.calls.map(([key]) => String(key))
  expect(texts).toContain('list.sorted')
  expect(texts.filter((key) => /^(menu|footer)\./.test(key))).toEqual([])
})

describe('the app shell', () => {
  it('leads home from a forbidden page, and does not offer it in the menu (M11, M12)', async () => {
    await fixture.browser.openAs('user@alpha', '/app/user')
    await waitForPath(fixture.browser, '/app/home')
    await screen.findByRole('heading', { name: 'Your services' })
    expect(document.querySelectorAll('.home-figure')).toHaveLength(0)
    await screen.findByText("You're all caught up")
    await fixture.browser.open('/app/m18/price/new')
    await waitForPath(fixture.browser, '/app/home')
    await screen.findByText("You don't have access to that page. This is your home page.")
    const [rail] = screen.getAllByRole('navigation', { name: 'Main navigation' })
    expect(
      rail &&
        within(rail)
          .getAllByRole('link')
          .map((link) => link.querySelector('.nav-words')?.textContent),
    ).toEqual(['Home'])
  })

  it('shows company, language and account menu in the header, and a login for visitors (M13)', async () => {
    await fixture.browser.openAs('admin@alpha')
    const withinHeader = () => within(screen.getByRole('banner'))
    await withinHeader().findByText('ALPHA-7f3a91 Ltd')
    await withinHeader().findByRole('button', { name: '中文' })
    await chooseMenuItem(/My account$/, 'Service entrance')
    await waitForPath(fixture.browser, '/entrance')
    await fixture.browser.open('/app/home')
    await chooseMenuItem(/My account$/, 'Logout')
    await findHeading('You are logged out')
    await fixture.user.click(await withinHeader().findByRole('link', { name: 'Login' }))
    await findHeading('Login')
  })

  nightly('describes the menu items of the provider as "For provider staff only" (M12)', async () => {
    await fixture.browser.openAs('admin@m18')
    await chooseMenuItem(/My account$/, 'My account')
    const link = await screen.findByRole('link', { name: 'Price lists' })
    await expect.poll(() => readDescription(link)).toBe('For provider staff only')
    // The style sheet shows these hints while the pointer or the focus is on the item (`.hinted > .hint`).
    const hints = [...document.querySelectorAll('.hinted > .hint')].filter((hint) => hint.parentElement?.contains(link))
    expect(hints.map((hint) => [...hint.children].map(({ textContent }) => textContent))).toEqual([
      ['Price lists', 'For provider staff only'],
    ])
  })

  it('shows "Page not found" with a link back for an unknown path (M5)', async () => {
    await fixture.browser.open('/no/such/place')
    await findHeading('Page not found')
    expect(screen.getByRole('main').textContent).toContain('/no/such/place')
    screen.getByRole('link', { name: 'Login' })
  })

  it('titles the window with page, company and product, and focuses the heading (C-19, A-14)', async () => {
    await fixture.browser.openAs('admin@alpha')
    await fixture.user.click(screen.getByRole('link', { name: 'Company' }))
    const title = await findHeading('Company')
    await expect.poll(() => document.title).toBe('Company · ALPHA-7f3a91 Ltd · Service portal')
    await expect.poll(() => document.activeElement).toBe(title)
  })
})

describe('the client type (M3)', () => {
  const findClientTypeSelect = () => screen.findByRole<HTMLSelectElement>('combobox', { name: 'Client type' })

  it('is offered to users with the delete level, starts as saas and is kept on all staff pages', async () => {
    await fixture.browser.openAs('delete@m18', '/app/m18/price')
    expect((await findClientTypeSelect()).value).toBe('saas')
    expect([...(await findClientTypeSelect()).options].map(({ value }) => value)).toEqual(['saas', 'mma'])
    await fixture.user.selectOptions(await findClientTypeSelect(), 'mma')
    for (const path of ['/app/m18/module', '/app/m18/module/new', '/app/m18/price/new']) {
      await fixture.browser.open(path)
      expect([path, (await findClientTypeSelect()).value]).toEqual([path, 'mma'])
    }
    await fixture.browser.open('/app/m18/automodule')
    expect((await findClientTypeSelect()).value).toBe('mma')
    await fixture.user.click(screen.getByRole('link', { name: 'Users' }))
    await findHeading('Users')
    await expect.poll(() => screen.queryByRole('combobox', { name: 'Client type' })).toBeNull()
  })

  it.each(limitByDay(['admin@alpha', 'user@m18'], 1))(
    'is ignored for %s, and the staff pages lead this user home (M11, M15)',
    async (userName) => {
      await fixture.browser.openAs(userName)
      localStorage.setItem('portal.clientType', 'mma')
      await fixture.browser.open('/app/m18/price')
      await waitForPath(fixture.browser, '/app/home')
      // Waits for the last parts of the layout. They are loaded once the page is idle.
      await screen.findByRole('button', { name: /Notifications/ })
      expect(screen.queryByRole('combobox', { name: 'Client type' })).toBeNull()
      expect(screen.queryByRole('link', { name: 'Price lists' })).toBeNull()
    },
  )
})

describe('language and colours', () => {
  it('the language switch changes all texts at once and is remembered (M4, A-32, I-11)', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/user')
    await findHeading('Users')
    expect(document.documentElement.lang).toBe('en')
    await fixture.user.click(getButton('中文'))
    await findHeading('用户')
    expect(document.documentElement.lang).toBe('zh-Hans')
    await expect.poll(() => document.title).toMatch(/^用户 · /)
    await fixture.browser.open('/app/user')
    await findHeading('用户')
  })

  it.each(limitByDay(['en', 'zh'], 1))('the public pages show no raw message key, in %s', async (language) => {
    const visibleTexts: string[] = []
    for (const path of ['/login', '/entrance', '/signup', '/forget', '/resetPwd', '/sys/activate', '/nowhere']) {
      await fixture.browser.open(`${path}?lang=${language}`)
      const textWalker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (textWalker.nextNode()) visibleTexts.push(textWalker.currentNode.textContent ?? '')
    }
    expect(visibleTexts.length).toBeGreaterThan(100)
    expect(visibleTexts.filter((text) => /^[a-z][A-Za-z]*(\.[A-Za-z_]+)+$/.test(text))).toEqual([])
  })

  it('dark colours, chosen in the account menu, are applied at once and remembered (C-34)', async () => {
    await fixture.browser.openAs('user@alpha')
    await chooseMenuItem(/My account$/, 'Dark colours', 'menuitemradio')
    await expect.poll(() => document.documentElement.dataset.theme).toBe('dark')
    delete document.documentElement.dataset.theme
    await fixture.browser.open('/app/home')
    expect(document.documentElement.dataset.theme).toBe('dark')
  })
})

it('The connection status is correct after each of many changes (P-11, R-42)', async () => {
  await fixture.browser.openAs('admin@alpha', '/app/user')
  const readConnectionText = () => document.querySelector('.bar .line')?.textContent
  await expect.poll(readConnectionText).toBe('Online')
  fixture.browser.goOffline()
  await expect.poll(readConnectionText).toBe('Offline')
  for (let flip = 0; flip < 10; flip++) {
    fixture.browser.goOnline()
    await expect.poll(readConnectionText).toBe('Online')
    fixture.browser.goOffline()
    await expect.poll(readConnectionText).toBe('Offline')
  }
  expect(document.querySelectorAll('.toast')).toHaveLength(0)
  fixture.browser.goOnline()
  await expect.poll(readConnectionText).toBe('Online')
})
