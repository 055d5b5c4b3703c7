import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { getAddress, takeOwnCompany, setUpShared, createVisits } from '#tests/support/browser/browser-setup.ts'

const { resume, go } = createVisits(setUpShared())
const getButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const getUnsavedQuestion = (page: Page) =>
  page.getByRole('alert').filter({ hasText: 'Your changes are not saved yet.' })
const getPath = (page: Page) => getAddress(page).pathname.replace('/saas', '')
const getField = (page: Page, label: string) => page.getByLabel(new RegExp(`^${label}`))

it('Back with unsaved changes asks first, on a page and in a drawer, and then continues (C-22)', async () => {
  const { page, close } = await resume(takeOwnCompany().admin, '/app/home')
  await page.getByRole('link', { name: 'Company', exact: true }).click()
  await getField(page, 'Website').fill('www.acme.example')
  await page.goBack()
  await getUnsavedQuestion(page).waitFor()
  // The browser has already navigated, and the address is restored while the question is shown.
  await expect.poll(() => getPath(page)).toBe('/app/profile/company')
  expect(await getField(page, 'Website').inputValue()).toBe('www.acme.example')
  await getButton(page, 'Keep editing').click()
  await page.goBack()
  await getButton(page, 'Discard changes').click()
  await expect.poll(() => getPath(page)).toBe('/app/home')
  await page.goForward()
  await expect.poll(() => getField(page, 'Website').inputValue()).toBe('https://acme.example')
  // Without unsaved input there is no question.
  await page.goBack()
  await expect.poll(() => getPath(page)).toBe('/app/home')

  await go(page, '/app/profile/user')
  await getButton(page, 'Edit profile').click()
  await getField(page, 'Name').fill('Amelia Chan Mei-fong')
  await page.goBack()
  await getUnsavedQuestion(page).waitFor()
  expect(await getField(page, 'Name').inputValue()).toBe('Amelia Chan Mei-fong')
  await getButton(page, 'Discard changes').click()
  await getButton(page, 'Edit profile').waitFor()

  await page.getByRole('link', { name: 'Users' }).click()
  await getButton(page, 'New user').click()
  const drawer = page.getByRole('dialog', { name: 'New user' })
  await drawer.locator('input[name="name"]').fill('Nora Lam')
  await page.goBack()
  await getUnsavedQuestion(page).waitFor()
  await getButton(page, 'Keep editing').click()
  expect(await drawer.locator('input[name="name"]').inputValue()).toBe('Nora Lam')
  // After saving, the drawer closes by a step back that it makes itself.
  await drawer.locator('input[name="email"]').fill('nora.lam@acme.example')
  await drawer.locator('button[type="submit"]').click()
  await drawer.waitFor({ state: 'detached' })
  await expect.poll(() => getAddress(page).search).not.toContain('user=')
  await page.locator('tbody tr').first().getByText('Nora LamNew').waitFor()
  await page.goBack()
  await expect.poll(() => getPath(page)).toBe('/app/profile/user')
  await close()
})
