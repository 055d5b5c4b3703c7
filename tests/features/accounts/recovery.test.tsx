import { screen } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { chosen } from '#tests/support/server/forms.ts'
import { heading, problems, submit, type } from '#tests/support/pages/fields.ts'
import { keyIn, mailBox } from '#tests/support/server/mailed.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'

const the = setUpPages()
const box = mailBox(() => the.server.app)
afterEach(() => void vi.useRealTimers())

it('a forgotten password is replaced by the link of the mail, in Chinese (M31, M32)', async () => {
  await the.browser.open('/forget?lang=zh')
  expect(the.browser.path()).toBe('/forget')
  await type(the.user, { companyCode: 'beta', userEmail: 'admin@beta.example' })
  await submit(the.user)
  await screen.findByText('请查收邮箱中的密码重置链接。')
  const key = (await box.fetch()).map(keyIn).find(Boolean)

  await the.browser.open(`/resetPwd?otk=${key}`)
  await heading('重置密码')
  await arrived(the.browser, '/resetPwd')
  await type(the.user, { pwd: chosen, confirm: 'another' })
  await submit(the.user)
  expect(problems()).toEqual({ confirm: '两次输入的密码不一致！' })
  await type(the.user, { confirm: chosen })
  // The success stays to be read for as long as the clock is not turned.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  await submit(the.user)
  await screen.findByText('重置成功。')
  await vi.advanceTimersByTimeAsync(5000)
  vi.useRealTimers()
  await heading('登录')
  await type(the.user, { company: 'beta', username: 'admin@beta.example', password: chosen })
  await submit(the.user)
  await arrived(the.browser, '/app/home')
})

const refused = async () => {
  await screen.findByText(/^Reset failed\./)
  await screen.findByText(/Password reset link is invalid or overdue\.$/)
}

it.each([
  ['no such key', 'no-such-key'],
  ['a mangled key', 'x'.repeat(300)],
])('a reset link with %s says so, and how to get another (portal 8)', async (_, key) => {
  await the.browser.open(`/resetPwd?otk=${key}`)
  // Before a password is typed.
  await refused()
  await the.user.click(screen.getByRole('link', { name: 'Send a new link' }))
  await heading('Forgot password')
})

it('a reset link without a key says so at once', async () => {
  await the.browser.open('/resetPwd')
  await refused()
})
