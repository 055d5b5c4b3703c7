import { screen } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { newPassword } from '#tests/support/server/forms.ts'
import { findHeading, readProblems, submit, typeValues } from '#tests/support/pages/fields.ts'
import { readKey, createMailBox } from '#tests/support/server/mail-box.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
const mailbox = createMailBox(() => fixture.server.app)
afterEach(() => void vi.useRealTimers())

it('The link in a mail lets the user replace a forgotten password, in Chinese (M31, M32)', async () => {
  await fixture.browser.open('/forget?lang=zh')
  expect(fixture.browser.path()).toBe('/forget')
  await typeValues(fixture.user, { companyCode: 'beta', userEmail: 'admin@beta.example' })
  await submit(fixture.user)
  await screen.findByText('请查收邮箱中的密码重置链接。')
  const key = (await mailbox.fetch()).map(readKey).find(Boolean)

  await fixture.browser.open(`/resetPwd?otk=${key}`)
  await findHeading('重置密码')
  await waitForPath(fixture.browser, '/resetPwd')
  await typeValues(fixture.user, { pwd: newPassword, confirm: 'another' })
  await submit(fixture.user)
  expect(readProblems()).toEqual({ confirm: '两次输入的密码不一致！' })
  await typeValues(fixture.user, { confirm: newPassword })
  // The success message stays visible until the fake clock is advanced.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  await submit(fixture.user)
  await screen.findByText('重置成功。')
  await vi.advanceTimersByTimeAsync(5000)
  vi.useRealTimers()
  await findHeading('登录')
  await typeValues(fixture.user, { company: 'beta', username: 'admin@beta.example', password: newPassword })
  await submit(fixture.user)
  await waitForPath(fixture.browser, '/app/home')
})

const expectRefusal = async () => {
  await screen.findByText(/^Reset failed\./)
  await screen.findByText(/Password reset link is invalid or overdue\.$/)
}

it.each([
  ['an unknown key', 'no-such-key'],
  ['a malformed key', 'x'.repeat(300)],
])('A reset link with %s is refused, with a link to request another (portal 8)', async (_, key) => {
  await fixture.browser.open(`/resetPwd?otk=${key}`)
  // The refusal is shown before a password is typed.
  await expectRefusal()
  await fixture.user.click(screen.getByRole('link', { name: 'Send a new link' }))
  await findHeading('Forgot password')
})

it('A reset link without a key is refused at once', async () => {
  await fixture.browser.open('/resetPwd')
  await expectRefusal()
})
