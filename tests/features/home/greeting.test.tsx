import { screen } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
afterEach(() => void vi.unstubAllEnvs())

it('The greeting uses the business time zone as soon as the device knows it (fault 34h)', async () => {
  // It is 10:00 in Hong Kong and 02:00 on the device.
  vi.stubEnv('TZ', 'UTC')
  expect(new Date(fixture.server.clock.now).getHours()).toBe(2)
  await fixture.browser.openAs('admin@alpha', '/app/home')
  expect((await screen.findByRole('heading', { level: 1, name: /^Good morning/ })).textContent).toMatch(
    /^Good morning, ./,
  )
})
