import { screen } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
afterEach(() => void vi.unstubAllEnvs())

it('fault 34h a device that does not know the business time zone yet greets by it once it does', async () => {
  // Ten in the morning in Hong Kong, two at night for the device.
  vi.stubEnv('TZ', 'UTC')
  expect(new Date(fixture.server.clock.now).getHours()).toBe(2)
  await fixture.browser.openAs('admin@alpha', '/app/home')
  expect((await screen.findByRole('heading', { level: 1, name: /^Good morning/ })).textContent).toMatch(
    /^Good morning, ./,
  )
})
