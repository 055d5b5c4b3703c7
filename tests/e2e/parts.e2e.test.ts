/** The parts of the screen that every page is made of, shown by the users page. */
import { describe, expect, it } from 'vitest'
import { address, focused, listed, rows, visits } from '#tests/support/visit.ts'

const { inside } = visits()

describe('a list', () => {
  it('sorts by its headers with the keyboard and says so (A-06)', async () => {
    const { page, close } = await inside('admin', '/app/user')
    await listed(page)
    const sorted = () =>
      page
        .locator('th[aria-sort]')
        .evaluateAll((all) => all.map((th) => `${th.textContent} ${th.getAttribute('aria-sort')}`))
    expect(await sorted()).toEqual(['Name ascending'])
    const header = page.locator('th button', { hasText: 'E-mail' })
    await header.focus()
    await page.keyboard.press('Enter')
    await expect.poll(sorted).toEqual(['E-mail ascending'])
    await page.keyboard.press('Space')
    await expect.poll(sorted).toEqual(['E-mail descending'])
    expect(address(page).searchParams.get('sortOrder')).toBe('desc')
    await close()
  })

  it('pages with names and marks where one is; its foot tells what is there (A-09, P-12)', async () => {
    const { page, close } = await inside('admin', '/app/user')
    await listed(page)
    await page.getByRole('button', { name: 'Page 2', exact: true }).click()
    await expect.poll(() => page.locator('[aria-current=page]').last().innerText()).toBe('2')
    await expect
      .poll(() => page.locator('.list-foot [role=status]').innerText())
      .toMatch(/\d+ users.*page 2 of \d+.*as of \d\d:\d\d/s)
    await page.getByLabel('Rows per page').selectOption('50')
    await expect.poll(() => rows(page).count()).toBe(50)
    expect(address(page).searchParams.get('results')).toBe('50')
    await close()
  })

  it('is searched from anywhere with /, waits for the word, and Escape takes it away (C-03)', async () => {
    const { page, close } = await inside('admin', '/app/user')
    await listed(page)
    await page.keyboard.press('/')
    await page.keyboard.type('benny')
    await page.waitForURL((url) => url.searchParams.get('searchText') === 'benny')
    await expect.poll(() => rows(page).count()).toBeLessThan(5)
    await page.keyboard.press('Escape')
    await page.waitForURL((url) => !url.searchParams.has('searchText'))
    await close()
  })

  it('does not look for letters while Chinese is being composed (I-13)', async () => {
    const { page, close } = await inside('admin', '/app/user')
    await listed(page)
    const box = page.getByRole('textbox', { name: 'Search name or e-mail' })
    await box.focus()
    const keyboard = await page.context().newCDPSession(page)
    await keyboard.send('Input.imeSetComposition', { text: 'wang', selectionStart: 4, selectionEnd: 4 })
    await page.waitForTimeout(700)
    expect(address(page).searchParams.has('searchText')).toBe(false)
    await keyboard.send('Input.insertText', { text: '王' })
    await page.waitForURL((url) => url.searchParams.get('searchText') === '王')
    await close()
  })

  it('offers its row actions in a menu that the keyboard can use, and gives the focus back', async () => {
    const { page, close } = await inside('admin', '/app/user')
    await listed(page)
    const button = page.locator('.row-actions [aria-haspopup=menu]').first()
    await button.focus()
    await page.keyboard.press('Enter')
    const items = page.locator('[role=menuitem]')
    await items.first().waitFor()
    const first = await focused(page)
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).not.toBe(first)
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toBe(first)
    await page.keyboard.press('Escape')
    expect(await items.count()).toBe(0)
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
    await close()
  })
})

describe('a drawer with a form', () => {
  async function opened() {
    const given = await inside('admin', '/app/user')
    await listed(given.page)
    await given.page.getByRole('button', { name: 'New user' }).click()
    await given.page.locator('[role=dialog] input').first().waitFor()
    return given
  }

  it('is named, holds the focus, closes on Escape and gives it back (A-10)', async () => {
    const { page, close } = await opened()
    const within = () => page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)
    const dialog = page.getByRole('dialog', { name: 'New user' })
    await dialog.waitFor()
    await expect.poll(within).toBe(true)
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('title')
    for (let press = 0; press < 15; press += 1) {
      await page.keyboard.press('Tab')
      expect(await within()).toBe(true)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('New user')
    await close()
  })

  it('asks before it throws away what was typed (C-22)', async () => {
    const { page, close } = await opened()
    await page.getByLabel('Name', { exact: true }).fill('Somebody')
    await page.keyboard.press('Escape')
    await page.getByText('Your changes are not saved yet.').waitFor()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Somebody')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.locator('[role=dialog]').waitFor({ state: 'detached' })
    await close()
  })

  it('says what is wrong beside the field and goes to the first one (A-12, M51)', async () => {
    const { page, close } = await opened()
    await page.locator('[role=dialog] [type=submit]').click()
    const name = page.getByLabel('Name', { exact: true })
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    const described = await name.evaluate(
      (input) => document.getElementById(input.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.innerText,
    )
    expect(described).toBe('Please input "Name" as it\'s required.')
    expect(await name.evaluate((input) => input === document.activeElement)).toBe(true)
    await close()
  })
})
