/** One move on many users: chosen by hand, key and finger, said before, each with its own verdict. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { seriousTrouble, sidewaysScroll, signIn } from '#tests/support/browser.ts'
import { desk, phone, rows, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()
let page: Page

async function enter(query = '', options: BrowserContextOptions = desk, language = 'en') {
  const context = await the.browser.newContext({ ...options, reducedMotion: 'reduce' })
  ends.push(() => context.close())
  await context.addInitScript((chosen) => localStorage.setItem('portal.language', chosen), language)
  page = await context.newPage()
  await signIn(page, the.portal, 'admin', `/app/user${query}`)
  await rows(page).first().waitFor()
  await page.locator('.page-action button[aria-pressed]').click()
  await page.locator('.picks').waitFor()
}

const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const boxes = () => page.locator('td.pick input')
const counted = () => page.locator('.picks [role=status]').innerText()
const dialog = () => page.getByRole('dialog')
const act = (name: string) => page.locator('.picks').getByRole('button', { name, exact: true }).click()
const lines = async () =>
  (await dialog().locator('.many-list li').allInnerTexts()).map((line) => line.replaceAll(/\s+/g, ' '))
const row = (name: string) => rows(page).filter({ hasText: name })

describe('choosing users', () => {
  it('works by key, over a stretch, for all of a page and over pages; a new filter and Escape end it (A-02, A-08)', async () => {
    await enter()
    await boxes().first().focus()
    await page.keyboard.press('Space')
    expect(await counted()).toBe('1 selected')
    await boxes()
      .nth(3)
      .click({ modifiers: ['Shift'] })
    expect(await counted()).toBe('4 selected')
    // All of the row is the box, for a finger as for a pointer.
    const at = await rows(page).nth(5).locator('td').nth(2).boundingBox()
    await page.mouse.click((at?.x ?? 0) + 5, (at?.y ?? 0) + 5)
    expect(await counted()).toBe('5 selected')

    const all = page.getByRole('checkbox', { name: 'Select all on this page' })
    expect(await all.evaluate((input: HTMLInputElement) => [input.checked, input.indeterminate])).toEqual([false, true])
    await all.check()
    expect(await counted()).toBe('10 selected')
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(counted).toBe('10 selected · 10 on other pages')
    await page.goBack()
    await expect.poll(counted).toBe('10 selected')
    await all.uncheck()
    expect(await counted()).toBe('0 selected')
    const disable = page.locator('.picks').getByRole('button', { name: 'Disable' })
    expect(await disable.getAttribute('aria-disabled')).toBe('true')

    await boxes().first().check()
    await page.getByLabel('Status', { exact: true }).selectOption('Disabled')
    await expect.poll(counted).toBe('0 selected')
    await page.keyboard.press('Escape')
    await page.locator('.picks').waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Select')
    expect(await rows(page).first().locator('.lead a').count()).toBe(1)
  })
})

describe('a move on many', () => {
  it('names who is left out and why, and afterwards what became of each (M39, M41, C-16)', async () => {
    await enter('?includedDel=true&results=50')
    for (const name of ['Ada Wong', 'Alice Poon', 'Agnes Fung', 'Amelia Chan']) await box(name).check()
    await act('Disable')
    await dialog().getByText('Disable 2 users?', { exact: true }).waitFor()
    expect(['asked', await seriousTrouble(page)]).toEqual(['asked', []])
    expect(await lines()).toEqual([
      'Ada Wong ada.wong@acme.example',
      'Alice Poon alice.poon@acme.example',
      'Agnes Fung Only an activated user can be disabled.',
      'Amelia Chan You cannot do this to your own account.',
    ])
    await dialog().getByRole('button', { name: 'Disable 2 users' }).click()
    await dialog().getByText('2 done', { exact: true }).waitFor()
    await dialog().locator('footer, .p-dialog-footer').getByRole('button', { name: 'Close' }).click()
    for (const name of ['Ada Wong', 'Alice Poon']) await expect.poll(() => row(name).innerText()).toContain('Disabled')
    // Who was left out is chosen still.
    await expect.poll(counted).toBe('2 selected')

    for (const name of ['Ada Wong', 'Alice Poon']) await box(name).check()
    await act('Enable')
    await dialog().getByRole('button', { name: 'Enable 3 users' }).click()
    await dialog().getByText('3 done', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => row('Agnes Fung').innerText()).toContain('Activated')
  })

  it('that one of them is refused says it of that one, in words', async () => {
    await enter('?statusType=0')
    const [first = '', second = ''] = await rows(page).locator('.lead').allInnerTexts()
    for (const [names, sum] of [
      [[first], '1 done'],
      [[first], '1 done'],
      [[first], '1 done'],
      [[first, second], '1 done · 1 not done'],
    ] as const) {
      for (const name of names) await box(name).check()
      await act('Send activation mail')
      await dialog().locator('.button.primary').click()
      await dialog().getByText(sum, { exact: true }).waitFor()
      if (names.length === 2) break
      await page.keyboard.press('Escape')
      await dialog().waitFor({ state: 'detached' })
    }
    const verdicts = await lines()
    expect(verdicts[0]).toMatch(
      new RegExp(`^${first}\\s+This address has had its mails for now. Try again in \\d+ min`),
    )
    expect(verdicts[1]).toMatch(new RegExp(`^${second}\\s+Done$`))
    expect(['became', await seriousTrouble(page)]).toEqual(['became', []])
  })

  it('waits write by write while there is no line, and each is sent when it is back', async () => {
    await enter('?searchText=a&statusType=1&results=50')
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.context().setOffline(true)
    const chosen = (await rows(page).locator('.lead').allInnerTexts())
      .filter((name) => !name.includes('(you)'))
      .slice(0, 3)
    for (const name of chosen) await box(name).check()
    await act('Delete')
    await dialog().getByText('There is no connection: each change waits', { exact: false }).waitFor()
    await dialog().getByRole('button', { name: 'Delete 3 users' }).click()
    await dialog().getByText('3 waiting to be sent', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.bar-waiting').innerText()).toBe('3')
    for (const name of chosen) await expect.poll(() => row(name).count()).toBe(0)

    await page.context().setOffline(false)
    await page.locator('.bar-waiting').waitFor({ state: 'detached', timeout: 30_000 })
    await page.goto(`${the.portal.url}/saas/app/user?statusType=-2&results=50`)
    await rows(page).first().waitFor()
    for (const name of chosen) await row(name).waitFor()
  })
})

it('on a phone in Chinese it fits and bars nobody (A-01, T-02)', async () => {
  await enter('', phone, 'zh')
  await page.getByLabel('选择本页全部').check()
  expect(['chosen', await seriousTrouble(page)]).toEqual(['chosen', []])
  expect(await sidewaysScroll(page)).toBe(0)
  await page.locator('.picks').getByRole('button', { name: '启用' }).click()
  await dialog().waitFor()
  expect(['asked', await seriousTrouble(page)]).toEqual(['asked', []])
})
