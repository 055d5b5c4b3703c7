import { expect, it } from 'vitest'
import { controlled, resumedPage, setUpShared } from '#tests/support/visit.ts'

const setup = setUpShared()

it('greets by name and company, offers what one may do and what awaits one, and stands without a network (M16, C-32)', async () => {
  const page = await resumedPage(setup, 'admin', '/app/home')
  await page.getByRole('heading', { level: 1, name: /Amelia Chan/ }).waitFor()
  await page.locator('.home-item').first().waitFor()
  await controlled(page)
  await page.context().setOffline(true)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: /Amelia Chan/ }).waitFor()
  await page.locator('.home-item').first().waitFor()
  await page.getByRole('link', { name: /users have not activated their accounts yet/ }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('?statusType=0')
})
