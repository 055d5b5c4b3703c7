/** What a person sees and decides of changes that wait, in real Chromium against a real server. */
import { readFile } from 'node:fs/promises'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { seriousTrouble, sidewaysScroll, signIn } from '#tests/support/browser.ts'
import { openFaultProxy } from '#tests/support/fault-proxy.ts'
import { controlled, desk, listWhole, phone, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()
let page: Page

/** Patience for what has to go to the server and come back. */
const heard = { timeout: 30_000 }

async function open(options: BrowserContextOptions = {}, language = 'en'): Promise<Page> {
  const context = await the.browser.newContext({ ...desk, reducedMotion: 'reduce', ...options })
  ends.push(() => context.close())
  await context.addInitScript((chosen) => localStorage.setItem('portal.language', chosen), language)
  const opened = await context.newPage()
  await signIn(opened, the.portal, 'admin', '/app/user')
  await opened.locator('.lead a').first().waitFor()
  await listWhole(opened)
  return opened
}

/** The network goes once the worker has everything and the list is whole. */
async function cut() {
  await controlled(page)
  await page.context().setOffline(true)
}
const mendLine = () => page.context().setOffline(false)

const dialog = (on: Page = page) => on.getByRole('dialog')
const go = (path: string, on: Page = page) => on.goto(`${the.portal.url}/saas${path}`)
const toOutbox = () => page.locator('.bar-waiting').click()
const writes = () => page.locator('.write')
const write = (text: string) => writes().filter({ has: page.getByRole('heading', { name: text }) })
const receipt = (text: string) => page.locator('.receipts li').filter({ hasText: text })
const save = async (on: Page = page) => {
  await dialog(on).locator('button[type="submit"]').click()
  await dialog(on).waitFor({ state: 'detached' })
}

/** Opens the user of that name in its form, changes it and saves; seen by the version the form has. */
async function edit(search: string, change: (form: Locator) => Promise<unknown>, on: Page = page) {
  await go(`/app/user?searchText=${search}`, on)
  await on.locator('.lead a').first().click()
  await dialog(on).locator('input[name="name"]').waitFor()
  await change(dialog(on))
  await save(on)
}
async function create(name: string, email: string) {
  await go('/app/user?user=new')
  await dialog().locator('input[name="name"]').fill(name)
  await dialog().locator('input[name="email"]').fill(email)
  await save()
}
const name = (value: string) => (form: Locator) => form.locator('input[name="name"]').fill(value)

describe('a change that was refused', () => {
  it('is mended in its own form, with what was typed and what is wrong with it, and sent (P-13, protocol 1)', async () => {
    page = await open()
    await cut()
    await create('Aaron Ng', 'ada.wong@acme.example')
    await toOutbox()
    await write('New user Aaron Ng').getByText('Waits for a connection', { exact: false }).waitFor()
    await mendLine()
    await write('New user Aaron Ng').getByText('User with the same email exists already.').waitFor(heard)

    await write('New user Aaron Ng').getByRole('button', { name: 'Mend' }).click()
    await dialog().getByText('User with the same email exists already.').waitFor()
    expect(await dialog().locator('input[name="name"]').inputValue()).toBe('Aaron Ng')
    // Wrong once more: it comes back to the open form, and is still there.
    await dialog().locator('input[name="email"]').fill('bonnie.siu@acme.example')
    await dialog().locator('input[name="name"]').fill('Aaron Ng the Elder')
    await dialog().locator('button[type="submit"]').click()
    await expect.poll(() => dialog().locator('.field-error').count(), heard).toBe(1)
    await dialog().locator('input[name="email"]').fill('aaron.ng@acme.example')
    await save()
    await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor(heard)

    await receipt('New user Aaron Ng the Elder').locator('summary').click()
    expect(['receipt', await seriousTrouble(page)]).toEqual(['receipt', []])
    const correlation = await receipt('Aaron Ng the Elder').locator('code').innerText()
    expect(correlation).toMatch(/^[0-9a-f-]{36}$/)
    const way = receipt('Aaron Ng the Elder').getByRole('link', { name: 'Show in the audit trail' })
    expect(await way.getAttribute('href')).toBe(`/saas/app/systrail?intent=${correlation}`)
    await go('/app/user?searchText=aaron')
    await expect.poll(() => page.locator('.lead a').allInnerTexts()).toEqual(['Aaron Ng the Elder'])
  })
})

describe('a change that met somebody else’s', () => {
  it('is compared field by field, and what was chosen of both sides holds (protocol 14)', async () => {
    page = await open()
    const theirs = await open()
    await go('/app/user?searchText=andrew')
    await page.locator('.lead a').first().waitFor()
    await cut()
    await edit('andrew', async (form) => {
      await form.locator('input[name="name"]').fill('Andrew of Mine')
      await form.locator('input[name="title"][value="2"]').check()
      await form.locator('input[name="alert"]').click()
    })
    await edit(
      'andrew',
      async (form) => {
        await form.locator('input[name="name"]').fill('Andrew of Theirs')
        await form.locator('input[name="title"][value="1"]').check()
        await form.locator('input[name="order"]').click()
      },
      theirs,
    )
    await toOutbox()
    await mendLine()
    const conflict = writes().filter({ hasText: 'In conflict' })
    await conflict.getByText('You changed this elsewhere in the meantime.', { exact: false }).waitFor(heard)
    await conflict.getByRole('button', { name: 'Compare and choose' }).click(heard)
    await dialog()
      .getByText(/^You changed it yourself 20\d\d-/)
      .waitFor()
    expect(await dialog().locator('.compare-merged').innerText()).toMatch(
      /Alert: .+\nOnly you changed this[\s\S]*Order: .+\nOnly they changed this/,
    )
    expect(['compare', await seriousTrouble(page)]).toEqual(['compare', []])
    const keep = dialog().getByRole('button', { name: 'Save this choice' })
    expect(await keep.getAttribute('aria-disabled')).toBe('true')

    // By keyboard alone: each row is one stop, the arrows choose in it.
    await dialog().getByRole('group', { name: 'Name' }).getByRole('radio').first().focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    expect(await dialog().getByRole('radio', { name: 'Yours Andrew of Mine' }).isChecked()).toBe(true)
    expect(await dialog().getByRole('radio', { name: 'Now there Ms' }).isChecked()).toBe(true)
    await keep.click()
    await receipt('Andrew of Mine').getByText('Done').waitFor(heard)

    await go('/app/user?searchText=andrew')
    const flags = /Andrew of Mine[\s\S]*Ms[\s\S]*Order[\s\S]*Alert/
    await expect.poll(() => page.locator('tbody tr').first().innerText()).toMatch(flags)
  })

  it('that all of theirs is kept of is gone, and the row stays as it is', async () => {
    page = await open()
    const theirs = await open()
    await go('/app/user?searchText=adrian')
    await page.locator('.lead a').first().waitFor()
    await cut()
    await edit('adrian', name('Adrian of Mine'))
    await edit('adrian', name('Adrian of Theirs'), theirs)
    await toOutbox()
    await mendLine()
    await page.getByRole('button', { name: 'Compare and choose' }).click(heard)
    await dialog().getByRole('radio', { name: 'Now there Adrian of Theirs' }).check()
    await dialog().getByRole('button', { name: 'Keep theirs, drop mine' }).click()
    await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor()
    await receipt('Adrian').getByText('Dropped', { exact: true }).waitFor()
    await go('/app/user?searchText=adrian')
    await expect.poll(() => page.locator('.lead a').allInnerTexts()).toEqual(['Adrian of Theirs'])
  })

  it('that deletes what was changed meanwhile says so, and asks before it does (protocol 14)', async () => {
    page = await open()
    const theirs = await open()
    await go('/app/user?searchText=alan')
    await page.locator('.lead a').first().waitFor()
    await cut()
    await page.getByRole('button', { name: /^More for Alan/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog().getByRole('button', { name: 'Delete user' }).click()
    await edit('alan', name('Alan of Theirs'), theirs)
    await toOutbox()
    await mendLine()
    await page.getByRole('button', { name: 'Compare and choose' }).click(heard)
    await dialog().getByText('it was changed after you had last seen it', { exact: false }).waitFor()
    await dialog().getByText('Alan of Theirs', { exact: true }).waitFor()
    await dialog().getByRole('button', { name: 'Leave it as it is now' }).click()
    await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor()
    await go('/app/user?searchText=alan')
    await expect.poll(() => page.locator('.lead a').allInnerTexts()).toContain('Alan of Theirs')
  })
})

describe('changes that wait', () => {
  it('say what holds them, are exported without secrets, and a dropped creation takes its followers along (protocol 15)', async () => {
    page = await open()
    await cut()
    await create('Bruno Lam', 'bruno.lam@acme.example')
    await edit('bruno', (form) => form.locator('input[name="alert"]').click())
    await edit('bruno', name('Bruno Lam Ka-ho'))
    await toOutbox()
    const last = write('Change name of Bruno Lam')
    await last.getByText('Name: Bruno Lam → Bruno Lam Ka-ho').waitFor()
    // A link to what it waits for, which is then in view and has the focus.
    await last.getByRole('link', { name: 'New user Bruno Lam' }).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.querySelector('h3')?.textContent))
      .toBe('New user Bruno Lam')

    await page.getByRole('button', { name: 'Send now' }).click()
    await page.getByRole('status').getByText('The server could not be reached.', { exact: false }).waitFor()

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as file' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^waiting-changes-20[\d-]+\.json$/)
    const exported = JSON.parse(await readFile(await download.path(), 'utf8')) as { writes: unknown[] }
    expect(exported.writes).toMatchObject([
      { endpoint: 'createUser', makes: 'create', asked: { body: { name: 'Bruno Lam' } } },
      { endpoint: 'updateCompanyUser' },
      { endpoint: 'updateCompanyUser', asked: { body: { name: 'Bruno Lam Ka-ho' } } },
    ])

    await write('New user Bruno Lam').getByRole('button', { name: 'Drop' }).click()
    await dialog().getByText('These build on it and are dropped too:').waitFor()
    const along = await dialog().locator('.write-along li').allInnerTexts()
    expect(along).toEqual(['Change alert of Bruno Lam', 'Change name of Bruno Lam'])
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep it')
    await dialog().getByRole('button', { name: 'Drop all 3' }).click()
    await mendLine()
    await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor(heard)
    await go('/app/user?searchText=bruno')
    await page.getByRole('heading', { name: 'No user matches these filters' }).waitFor()
  })
})

/** As if it had been made so long ago: the device's own clock cannot be turned from here. */
const age = (days: number) =>
  page.evaluate(async (ageMs) => {
    const heard = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve) => (request.onsuccess = () => resolve(request.result)))
    const names = (await indexedDB.databases()).map(({ name }) => name ?? '')
    const db = await heard(indexedDB.open(names.find((name) => /^portal-\d+-\d+$/.test(name)) ?? ''))
    const store = db.transaction('outbox', 'readwrite').objectStore('outbox')
    for (const entry of await heard(store.getAll())) await heard(store.put({ ...entry, since: entry.since - ageMs }))
    db.close()
  }, days * 86_400_000)

describe('a change that is over 30 days old', () => {
  it('is asked about before it is sent, and sent when it is still wanted (protocol 19)', async () => {
    page = await open()
    await cut()
    await edit('agnes', (form) => form.locator('input[name="alert"]').click())
    await age(31)
    await mendLine()
    await toOutbox()
    const old = write('Change alert of Agnes')
    await old.getByText('This has waited for more than 30 days.', { exact: false }).waitFor(heard)
    await old.getByText('made 31 days ago').waitFor()
    await old.getByRole('button', { name: 'Send it all the same' }).click()
    await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor(heard)
    await receipt('Agnes').getByText('Done', { exact: true }).waitFor()
  })
})

describe('a call that is never queued, whose answer was lost', () => {
  it('is shown as not known, never sent again, and told as soon as the server says what became of it (protocol 13)', async () => {
    const proxy = await openFaultProxy(Number(new URL(the.portal.url).port))
    ends.push(() => proxy.close())
    const context = await the.browser.newContext({ ...desk, reducedMotion: 'reduce' })
    ends.push(() => context.close())
    page = await context.newPage()
    await signIn(page, { ...the.portal, url: proxy.url }, 'admin', '/app/user')
    await controlled(page)
    const isRights = ({ method, path }: { method: string; path: string }) =>
      method === 'PUT' && path.includes('/company-user/')
    const isAsking = ({ path }: { path: string }) => path.includes('/api/request/')
    proxy.set((call) => (isRights(call) ? 'cut before the answer' : isAsking(call) ? 'reset' : null))
    await page.goto(`${proxy.url}/saas/app/user?searchText=bonnie`)
    await page.locator('.lead a').first().click()
    await dialog().locator('input[name="admin"]').click()
    await dialog().locator('button[type="submit"]').click()
    await dialog().locator('.problem').waitFor(heard)

    await page.goto(`${proxy.url}/saas/app/outbox`)
    const unknown = page.locator('.unknowns')
    await unknown.getByRole('heading', { name: "Change of a user's rights" }).waitFor(heard)
    await unknown.getByText('nothing is sent a second time', { exact: false }).waitFor()
    expect(['unknown', await seriousTrouble(page)]).toEqual(['unknown', []])
    proxy.heal()
    await unknown.waitFor({ state: 'detached', timeout: 60_000 })
    await receipt("Change of a user's rights").getByText('Done', { exact: true }).waitFor()
    expect(new Set(proxy.arrivals.filter(isRights).flatMap(({ keys }) => keys)).size).toBe(1)
  })
})

describe('writes that a browser has taken away', () => {
  it('are counted and told, on every page and in the outbox, until one has seen it (requirement 48)', async () => {
    page = await open()
    await cut()
    await edit('agnes', (form) => form.locator('input[name="alert"]').click())
    await create('Carla Tse', 'carla.tse@acme.example')
    await expect.poll(() => page.locator('.bar-waiting').innerText()).toBe('2')
    await expect.poll(async () => await cookie('portal-unsent')).toMatch(/\.2\.2$/)
    await page.goto('about:blank')
    const session = await page.context().newCDPSession(page)
    // Every store of the origin but the cookies: what a browser does that runs out of room.
    const origin = new URL(the.portal.url).origin
    await session.send('Storage.clearDataForOrigin', {
      origin,
      storageTypes: 'indexeddb,service_workers,cache_storage',
    })
    await mendLine()

    // The device knows nobody any more, whatever the cookies say.
    await signIn(page, the.portal, 'admin', '/app/home')
    await page.getByText('2 changes that were not sent yet are gone from this device').waitFor(heard)
    await page.getByRole('link', { name: 'See what to do' }).click()
    await page.getByText('Please check your last entries', { exact: false }).waitFor()
    expect(['loss', await seriousTrouble(page)]).toEqual(['loss', []])
    // Nothing waits, and it was not sent either.
    await page.getByRole('heading', { name: 'Nothing waits on this device now' }).waitFor()
    await page.getByRole('button', { name: 'I have seen this' }).click()
    await page.locator('.loss').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor()
    expect(await page.locator('.loss, .lost').count()).toBe(0)
  })
})

const cookie = async (of: string) =>
  (await page.context().cookies(`${the.portal.url}/saas/`)).find((one) => one.name === of)?.value ?? ''

describe('the page can be used by everybody (A-01, T-02)', () => {
  const looks = [
    ['en', 'light', desk],
    ['zh', 'dark', phone],
  ] as const

  it.each(looks)('in %s, %s', async (language, colorScheme, form) => {
    page = await open({ ...form, colorScheme }, language)
    await controlled(page)
    await go('/app/outbox')
    await page.locator('.empty').waitFor()
    expect(['empty', await seriousTrouble(page)]).toEqual(['empty', []])
    await cut()
    await create('Dora Mok', 'ada.wong@acme.example')
    await edit('dora', (form) => form.locator('input[name="alert"]').click())
    await toOutbox()
    await writes().nth(1).waitFor()
    expect(['waiting', await seriousTrouble(page)]).toEqual(['waiting', []])
    expect(await sidewaysScroll(page)).toBe(0)
    await writes().first().locator('.write-acts button').last().click()
    await dialog().waitFor()
    expect(['drop', await seriousTrouble(page)]).toEqual(['drop', []])
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await mendLine()
    await writes().first().locator('.problem').waitFor(heard)
    expect(['refused', await seriousTrouble(page)]).toEqual(['refused', []])
    expect(await sidewaysScroll(page)).toBe(0)
  })
})
