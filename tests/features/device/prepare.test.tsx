import { screen, within } from '@testing-library/dom'
import { afterEach, expect, it } from 'vitest'
import { getButton, findHeading } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { canaries } from '#tests/support/server/world.ts'

const fixture = setUpPages()

const matchMedia = window.matchMedia
afterEach(() => void (window.matchMedia = matchMedia))

/** Simulates a device with a touch screen. */
function emulateTablet() {
  window.matchMedia = (query) => {
    const list = matchMedia.call(window, query)
    return query.includes('pointer:coarse') ? Object.defineProperty(list, 'matches', { value: true }) : list
  }
}

const findPanel = async () => within(await screen.findByRole('region', { name: 'Ready to work offline' }))

it('A tablet offers preparation for offline use, shows what is saved, and can turn preparation off (fault 47h)', async () => {
  emulateTablet()
  await fixture.browser.openAs('admin@alpha', '/app/home')
  const offerRegion = within(await screen.findByRole('region', { name: 'Work offline on this device?' }))
  await fixture.user.click(offerRegion.getByRole('button', { name: 'Prepare this device' }))
  await findHeading('This device')
  await (await findPanel()).findByText(/^Ready\. \d+(\.\d)? kB saved, updated \d\d:\d\d\.$/)
  const partsList = (await findPanel()).getByRole('list', { name: 'What is saved' })
  expect([...partsList.querySelectorAll('strong')].map(({ textContent }) => textContent)).toEqual([
    'Profile, company and settings',
    'Users',
    'Audit trail of the last 4 weeks',
  ])

  fixture.browser.goOffline()
  await fixture.browser.open('/app/profile/company')
  expect(await screen.findAllByDisplayValue(new RegExp(canaries.alpha))).not.toEqual([])

  fixture.browser.goOnline()
  await fixture.browser.open('/app/device')
  await (await findPanel()).findByText(/^Ready\./)
  await fixture.user.click(getButton('Turn off'))
  await (await findPanel()).findByRole('button', { name: 'Prepare this device' })
  // Preparation is neither active nor offered again. The module is imported here, because each page load has its own modules.
  const { readPreparation } = await import('#local/preparation/preparation-store.ts')
  expect(await readPreparation()).toMatchObject({ isOn: false, isOfferClosed: true })
})
