import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { type people, signIn } from '#tests/support/browser.ts'
import { setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()
let page: Page

async function enter(who: keyof typeof people = 'admin', options: BrowserContextOptions = {}, at = '/app/user') {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  page = await context.newPage()
  await signIn(page, the.portal, who, at)
  if (at.startsWith('/app/user')) await links().first().waitFor()
}

const rows = () => page.locator('table.table tbody tr:not(.waiting)')
const links = () => rows().locator('.lead a')
const names = async () => (await links().allTextContents()).map((name) => name.trim())
const row = (name: string) => rows().filter({ has: page.getByRole('link', { name, exact: true }) })
const go = async (query: string) => {
  await page.goto(`${the.portal.url}/saas/app/user${query}`)
  await links().first().waitFor()
}
const query = () => new URL(page.url()).search
const drawer = () => page.getByRole('dialog')
const field = (label: string) => drawer().getByLabel(label, { exact: true })
const submit = () => drawer().locator('button[type="submit"]').click()
const toast = (text: string) => page.locator('.toast', { hasText: text }).first().waitFor()
const choose = async (name: string, action: string) => {
  await row(name)
    .getByRole('button', { name: `More for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: action }).click()
}
const settled = () => expect.poll(() => page.locator('table[aria-busy="true"]').count()).toBe(0)
/** The network goes once the worker has everything, as it has after the first seconds of a first visit. */
async function cut() {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await page.context().setOffline(true)
}
const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement)

describe("the list of a company's users", () => {
  beforeEach(() => enter())

  it('pages, sorts and filters, all in the address, and Back restores each step (C-01, M36)', async () => {
    const first = await names()
    expect(first).toHaveLength(10)
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(query).toBe('?page=2')
    // The page may have no row here yet.
    await expect.poll(async () => (await names()).filter((name) => !first.includes(name)).length).toBe(10)
    const second = await names()

    await page.getByRole('columnheader', { name: 'E-mail' }).getByRole('button').click()
    await expect.poll(query).toBe('?sortField=email&sortOrder=asc')
    await expect.poll(names).not.toEqual(second)
    await settled()
    const mails = await rows().locator('td:nth-child(2)').allTextContents()
    expect(mails).toHaveLength(10)
    expect(mails).toEqual([...mails].sort())
    expect(await page.locator('th[aria-sort="ascending"]').textContent()).toContain('E-mail')

    await page.goBack()
    await expect.poll(names).toEqual(second)
    await page.reload()
    await expect.poll(names).toEqual(second)
    await page.getByLabel('Rows per page').selectOption('50')
    await expect.poll(query).toBe('?results=50')
    await expect.poll(() => rows().count()).toBe(50)
  })

  it('shows one status, all but deleted, or the deleted as well, and each filter can be dropped alone (C-04, D91)', async () => {
    const statuses = () => rows().locator('td:nth-child(4)').allTextContents()
    await go('?results=50')
    await settled()
    expect(await statuses()).not.toContain('Deleted')

    await page.getByLabel('Status', { exact: true }).selectOption('Disabled')
    await expect.poll(async () => [...new Set(await statuses())]).toEqual(['Disabled'])
    await page.getByRole('button', { name: 'Remove filter Status: Disabled' }).click()
    await expect.poll(query).toBe('?results=50')

    await page.getByLabel('Include deleted').check()
    await expect.poll(async () => (await page.locator('.list-foot').textContent())?.includes('62 users')).toBe(true)
    await page.getByLabel('Status', { exact: true }).selectOption('Deleted')
    await expect.poll(async () => [...new Set(await statuses())]).toEqual(['Deleted'])
    await page.getByRole('button', { name: 'Clear all' }).click()
    await expect.poll(query).toBe('?results=50')
  })

  it('finds by name and e-mail, in both scripts, and says which filter to drop when nothing is found (C-03)', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('欧阳')
    await expect.poll(names).toEqual(['欧阳雪'])
    await page.keyboard.press('Escape')
    await expect.poll(query).toBe('')
    await page.getByRole('textbox', { name: 'Search name or e-mail' }).fill('no such person')
    await page.getByRole('heading', { name: 'No user matches these filters' }).waitFor()
    await page.getByRole('button', { name: 'Show all users' }).click()
    await expect.poll(() => rows().count()).toBe(10)
  })

  it('remembers its filter when one comes back to it (C-02)', async () => {
    await page.getByLabel('Status', { exact: true }).selectOption('Disabled')
    await expect.poll(query).toBe('?statusType=-1')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /Amelia Chan/ }).waitFor()
    await page.getByRole('link', { name: 'Users', exact: true }).first().click()
    await expect.poll(query).toBe('?statusType=-1')
  })

  it('is what its rows and controls say to readers (A-06, A-09)', async () => {
    expect(await page.locator('table caption').textContent()).toBe('Users of Acme Trading Limited')
    expect(await page.locator('thead th[scope="col"]').count()).toBe(7)
    expect(await page.locator('[aria-current="page"]', { hasText: '1' }).count()).toBe(1)
    expect(await page.title()).toMatch(/^Users · Acme Trading Limited · /)
    await row('Ada Wong').getByRole('button', { name: 'Edit Ada Wong' }).waitFor()
    await page.locator('.list-foot [role="status"]', { hasText: 'as of' }).waitFor()
  })
})

describe('a user', () => {
  beforeEach(() => enter())

  it('is created with the specified checks; an e-mail that is taken is told before sending (M37)', async () => {
    await page.getByRole('button', { name: 'New user' }).click()
    await expect.poll(query).toBe('?user=new')
    await field('Name').waitFor()
    await submit()
    await drawer().getByText('Please input "Name" as it\'s required.').waitFor()
    await drawer().getByText('Please input "E-mail" as it\'s required.').waitFor()
    await expect.poll(() => isFocused(field('Name'))).toBe(true)

    await field('Name').fill('Zhu Ming')
    await field('E-mail').fill('zhu@')
    await submit()
    await drawer().getByText('Email format is invalid!').waitFor()
    await field('E-mail').fill('ADMIN@acme.example')
    await field('Name').focus()
    await drawer().getByText('User with the same email exists already.').waitFor()

    await field('E-mail').fill('zhu.ming@acme.example')
    await drawer().getByLabel('Ms', { exact: true }).check()
    await drawer().getByLabel('Order', { exact: true }).check()
    await submit()
    await toast('Create successfully.')
    await drawer().waitFor({ state: 'detached' })
    await go('?searchText=zhu.ming')
    await expect.poll(() => rows().first().innerText()).toMatch(/Zhu Ming[\s\S]*Ms[\s\S]*Not activated[\s\S]*Order/)
  })

  it('that the server refuses keeps its form, and is sent again as the same wish', async () => {
    await go('?user=new')
    await field('Name').fill('Twice')
    await field('E-mail').fill('ada.wong@acme.example')
    // Enter sends before the field was left, so the server is the first to find out.
    await field('E-mail').press('Enter')
    await drawer().getByText('User with the same email exists already.').waitFor()
    expect(await field('Name').inputValue()).toBe('Twice')
    await field('E-mail').fill('twice@acme.example')
    await field('E-mail').press('Enter')
    await toast('Create successfully.')
    await go('?searchText=twice')
    await expect.poll(names).toEqual(['Twice'])
    expect(await page.locator('.bar-waiting').count()).toBe(0)
  })

  it('is edited as far as the locks of its state allow, and each lock says why (M38)', async () => {
    const locked = async (label: string) => (await field(label).getAttribute('readonly')) !== null
    await row('Adrian Lau').getByRole('link').click()
    await field('Name').waitFor()
    expect([await locked('E-mail'), await locked('Name')]).toEqual([true, false])
    await drawer().getByText('The e-mail is the login name and cannot be changed.').waitFor()
    expect(await drawer().locator('button[type="submit"]').getAttribute('aria-disabled')).toBe('true')
    await field('Name').fill('Adrian Lau Kwok-wah')
    await submit()
    await toast('Update successfully.')
    await drawer().waitFor({ state: 'detached' })
    await row('Adrian Lau Kwok-wah').waitFor()

    await row('Ada Wong').getByRole('link').click()
    await drawer().getByText('An activated user looks after this in their own profile.').waitFor()
    // The profile has no title to change (portal 2).
    await drawer().getByText('The title of an activated user cannot be changed.').waitFor()
    expect([await locked('E-mail'), await locked('Name')]).toEqual([true, true])
    expect(await drawer().getByLabel('Mr', { exact: true }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await drawer().waitFor({ state: 'detached' })

    await row('Amelia Chan (you)').getByRole('link').click()
    await drawer().getByText('You cannot change this on your own account.').first().waitFor()
    await drawer().getByText('You change your own name in My profile.').waitFor()
    expect(await field('Admin').isDisabled()).toBe(true)
    expect(await field('Order').isDisabled()).toBe(false)
    // An access level is for the provider's delete level to grant.
    expect(await drawer().getByText('Access level').count()).toBe(0)
  })

  it('is disabled, taken back by Undo, enabled and deleted, and only where its state allows (M39)', async () => {
    await go('?searchText=bonnie')
    await choose('Bonnie Siu', 'Disable')
    await toast('Disable successfully.')
    // It stays for as long as it is pointed at.
    await page.getByRole('button', { name: 'Undo' }).hover()
    await expect.poll(() => row('Bonnie Siu').innerText()).toContain('Disabled')
    await page.getByRole('button', { name: 'Undo' }).click()
    await toast('Enable successfully.')
    await expect.poll(() => row('Bonnie Siu').innerText()).toContain('Activated')

    await row('Bonnie Siu').getByRole('button', { name: 'More for Bonnie Siu' }).click()
    await page
      .getByRole('menuitem', { name: 'Send activation mail' })
      .getByText('Only for a user who is not activated yet.')
      .waitFor()
    await page.keyboard.press('Escape')

    await choose('Bonnie Siu', 'Delete')
    await drawer().getByText('Bonnie Siu (bonnie.siu@acme.example)', { exact: false }).waitFor()
    await expect.poll(() => isFocused(drawer().getByRole('button', { name: 'Keep user' }))).toBe(true)
    await drawer().getByRole('button', { name: 'Delete user' }).click()
    await toast('Delete successfully.')
    await page.getByRole('heading', { name: 'No user matches these filters' }).waitFor()
  })

  it('cannot be oneself when disabling or deleting (portal 4)', async () => {
    await go('?searchText=amelia')
    await page.getByRole('button', { name: 'More for Amelia Chan' }).click()
    for (const action of ['Disable', 'Delete'])
      await page.getByRole('menuitem', { name: action }).getByText('You cannot do this to your own account.').waitFor()
  })

  it('who is not activated has the mail sent once more, and their form says how long its link works (M40, D75)', async () => {
    await go('?searchText=alan')
    await choose('Alan Yip', 'Send activation mail')
    await toast('Send activation mail successfully.')
    await row('Alan Yip').getByRole('link').click()
    await drawer()
      .getByText(/^Invited on 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d, not activated yet\.$/)
      .waitFor()
    const about = drawer().locator('.invitation .field-help')
    await expect
      .poll(
        async () => {
          await page.reload()
          return await about.innerText()
        },
        { timeout: 20_000 },
      )
      .toMatch(/^The link in the latest mail works until 20\d\d-/)
    await drawer().getByRole('button', { name: 'Send activation mail' }).click()
    await drawer().getByText('A new mail is on its way. It ends the older link.').waitFor()
  })

  it('whose address has had its mails of the hour is told so, and holds up nothing else (S-40)', async () => {
    await page.goto(`${the.portal.url}/saas/app/user?user=new`)
    await field('Name').fill('Ivy Poon')
    await field('E-mail').fill('ivy.poon@acme.example')
    await submit()
    await toast('Create successfully.')
    // A page of its own for each: what is said of one is gone in its own time.
    for (let at = 0; at < 2; at += 1) {
      await go('?searchText=ivy')
      await choose('Ivy Poon', 'Send activation mail')
      await toast('Send activation mail successfully.')
    }
    await choose('Ivy Poon', 'Send activation mail')
    await toast('Send activation mail failed. This address has had its mails for now.')
    await choose('Ivy Poon', 'Delete')
    await drawer().getByRole('button', { name: 'Delete user' }).click()
    await toast('Delete successfully.')
  })

  /** The same user in somebody else's drawer, changed and saved there. */
  async function elsewhere(search: string, change: (their: Locator) => Promise<void>) {
    const other = await the.browser.newContext()
    ends.push(() => other.close())
    const theirs = await other.newPage()
    await signIn(theirs, the.portal, 'admin', `/app/user?searchText=${search}`)
    await theirs.locator('.lead a').first().click()
    await change(theirs.getByRole('dialog'))
    await theirs.getByRole('dialog').locator('button[type="submit"]').click()
    await theirs.getByRole('dialog').waitFor({ state: 'detached' })
  }

  it('that somebody else changed in another field meanwhile keeps both changes (protocol 14)', async () => {
    await go('?searchText=adrian')
    await links().first().click()
    await field('Name').fill('Adrian the First')
    await elsewhere('adrian', (their) => their.getByLabel('Alert', { exact: true }).check())

    await submit()
    await toast('Update successfully.')
    await expect.poll(() => rows().first().innerText()).toMatch(/Adrian the First[\s\S]*Alert/)
  })

  it('that somebody else changed in the same field is shown as it is now, what was typed still there (412)', async () => {
    await go('?searchText=andrew')
    await links().first().click()
    await field('Name').fill('Andrew the First')
    await elsewhere('andrew', (their) => their.getByLabel('Name', { exact: true }).fill('Andrew of Theirs'))

    await submit()
    await drawer().getByText('This user was changed by somebody else in the meantime').waitFor()
    await drawer().getByText('Name: Andrew of Theirs').waitFor()
    expect(await field('Name').inputValue()).toBe('Andrew the First')
    await submit()
    await toast('Update successfully.')
    await expect.poll(() => rows().first().innerText()).toMatch(/Andrew the First/)
  })

  it('is kept on this device while there is no network, marked, and sent when it is back', async () => {
    await go('?searchText=alan')
    await cut()
    await links().first().click()
    await field('Name').fill('Alan Yip Ho-man')
    await drawer().getByText('Rights take effect at once, so changing this needs a connection.').waitFor()
    await submit()
    await toast('Saved on this device.')
    await row('Alan Yip Ho-man').locator('.pending-mark').waitFor()
    await page.locator('.bar-waiting').waitFor()

    await page.context().setOffline(false)
    await page.locator('.pending-mark').first().waitFor({ state: 'detached', timeout: 30_000 })
    await page.reload()
    await row('Alan Yip Ho-man').waitFor()
  })

  it('made offline and refused later stays on its row, and is mended in its form', async () => {
    await cut()
    await page.getByRole('button', { name: 'New user' }).click()
    await drawer().getByText('Without a connection we check for duplicates when it is sent.').waitFor()
    await field('Name').fill('Aaron Ng')
    await field('E-mail').fill('ada.wong@acme.example')
    await submit()
    await toast('Saved on this device.')
    await row('Aaron Ng').locator('.pending-mark').waitFor()

    await page.context().setOffline(false)
    await row('Aaron Ng').locator('.pending-mark.troubled', { hasText: 'Refused' }).waitFor({ timeout: 30_000 })
    await row('Aaron Ng').getByRole('link').click()
    await drawer().getByText('User with the same email exists already.').waitFor()
    expect(await field('Name').inputValue()).toBe('Aaron Ng')
    await field('E-mail').fill('aaron.ng@acme.example')
    await submit()
    await toast('Create successfully.')
    await expect.poll(() => page.locator('.pending-mark').count()).toBe(0)
    await go('?searchText=aaron')
    await expect.poll(names).toEqual(['Aaron Ng'])
  })

  it('of the provider is given an access level by the delete level, only with a connection (D48)', async () => {
    await enter('staff', {}, '/app/user')
    await row('clerk')
      .or(rows().filter({ hasText: 'clerk@m18.example' }))
      .getByRole('link')
      .first()
      .click()
    await field('Access level').selectOption('Debug')
    await submit()
    await toast('Update successfully.')
    await cut()
    await rows().filter({ hasText: 'clerk@m18.example' }).getByRole('link').first().click()
    await expect.poll(() => field('Access level').isDisabled()).toBe(true)
  })
})

describe('with the keyboard alone (A-02, A-10)', () => {
  it('one opens a user, changes it and comes back to where one was', async () => {
    await enter()
    await go('?searchText=agnes')
    await links().first().focus()
    await page.keyboard.press('Enter')
    await field('Name').waitFor()
    await expect.poll(() => drawer().evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true)
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab')
      expect(await drawer().evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true)
    }
    await page.keyboard.press('Escape')
    await drawer().waitFor({ state: 'detached' })
    await expect.poll(() => isFocused(links().first())).toBe(true)

    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-haspopup'))).toBe('menu')
  })
})
