import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { getAddress, takeOwnCompany, setUpShared, createVisits } from '#tests/support/browser/browser-setup.ts'

const { resume, go } = createVisits(setUpShared())
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const question = (page: Page) => page.getByRole('alert').filter({ hasText: 'Your changes are not saved yet.' })
const at = (page: Page) => getAddress(page).pathname.replace('/saas', '')
const field = (page: Page, label: string) => page.getByLabel(new RegExp(`^${label}`))

it('Back asks first, on a page and in a drawer, and goes where it was going once that is said (C-22)', async () => {
  const { page, close } = await resume(takeOwnCompany().admin, '/app/home')
  await page.getByRole('link', { name: 'Company', exact: true }).click()
  await field(page, 'Website').fill('www.acme.example')
  await page.goBack()
  await question(page).waitFor()
  // The step has been taken, and is put back while it is asked about.
  await expect.poll(() => at(page)).toBe('/app/profile/company')
  expect(await field(page, 'Website').inputValue()).toBe('www.acme.example')
  await button(page, 'Keep editing').click()
  await page.goBack()
  await button(page, 'Discard changes').click()
  await expect.poll(() => at(page)).toBe('/app/home')
  await page.goForward()
  await expect.poll(() => field(page, 'Website').inputValue()).toBe('https://acme.example')
  // Nothing is typed, nothing is asked.
  await page.goBack()
  await expect.poll(() => at(page)).toBe('/app/home')

  await go(page, '/app/profile/user')
  await button(page, 'Edit profile').click()
  await field(page, 'Name').fill('Amelia Chan Mei-fong')
  await page.goBack()
  await question(page).waitFor()
  expect(await field(page, 'Name').inputValue()).toBe('Amelia Chan Mei-fong')
  await button(page, 'Discard changes').click()
  await button(page, 'Edit profile').waitFor()

  await page.getByRole('link', { name: 'Users' }).click()
  await button(page, 'New user').click()
  const drawer = page.getByRole('dialog', { name: 'New user' })
  await drawer.locator('input[name="name"]').fill('Nora Lam')
  await page.goBack()
  await question(page).waitFor()
  await button(page, 'Keep editing').click()
  expect(await drawer.locator('input[name="name"]').inputValue()).toBe('Nora Lam')
  // Saved: the drawer closes by a step back of its own.
  await drawer.locator('input[name="email"]').fill('nora.lam@acme.example')
  await drawer.locator('button[type="submit"]').click()
  await drawer.waitFor({ state: 'detached' })
  await expect.poll(() => getAddress(page).search).not.toContain('user=')
  await page.locator('tbody tr').first().getByText('Nora LamNew').waitFor()
  await page.goBack()
  await expect.poll(() => at(page)).toBe('/app/profile/user')
  await close()
})
