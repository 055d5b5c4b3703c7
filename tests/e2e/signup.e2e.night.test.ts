import { expect, it } from 'vitest'
import { fill, fillCompany, getInput, submit } from '#tests/support/browser/newcomer.ts'
import { waitForController, setUpShared, createVisits } from '#tests/support/browser/browser-setup.ts'

const { open, go } = createVisits(setUpShared())

it("The sign-up opens offline from the worker's cache, with the typed values but no password (W-04)", async () => {
  const { page, close } = await open()
  await go(page, '/signup')
  await fillCompany(page, { code: 'offline', name: 'Nova Ltd', number: '12345678' })
  await submit(page)
  await fill(page, { user_name: 'Ana Chan', user_email: 'offline@nova.example', user_password: 'Slow-river-under-9' })
  await waitForController(page)
  // Clears the browser's own cache, because it does not guarantee that files stay available.
  const tools = await page.context().newCDPSession(page)
  await tools.send('Network.clearBrowserCache')
  await tools.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.context().setOffline(true)
  await page.reload()
  await getInput(page, 'user_name').waitFor()
  expect(await getInput(page, 'user_email').inputValue()).toBe('offline@nova.example')
  expect(await getInput(page, 'user_password').inputValue()).toBe('')
  await page.getByRole('button', { name: 'Back to the company' }).click()
  expect(await getInput(page, 'code').inputValue()).toBe('offline')
  // The other public pages open too. Their connection messages are tested in tests/features/accounts.
  for (const [path, title] of [
    ['/forget', 'Forgot password'],
    ['/resetPwd?otk=key', 'Reset password'],
    ['/sys/activate?otk=key', 'Activate your account'],
  ] as const) {
    await go(page, path)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  }
  await close()
})
