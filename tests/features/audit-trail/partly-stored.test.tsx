/** What the button of a trail that is here in part says (fault 46). */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()

it('fault 46d: that it is being saved only while it is, and offline how much of it is here', async () => {
  await fixture.browser.openAs('admin@alpha', '/app/systrail')
  // Each page has modules of its own.
  const { getThisDevice } = await import('#local/storage/device.ts')
  await screen.findByRole('button', { name: 'Save on this device' })
  fixture.browser.goOffline()
  const { companyId, userId } = (await getThisDevice().directory.session.get('now'))?.subject ?? {
    companyId: 0,
    userId: 0,
  }
  await getThisDevice().getDatabase({ companyId, userId }).storedTrails.put({
    companyId,
    dateFrom: '2026-01-01',
    dateTo: '2026-01-02',
    keep: 'x',
    zone: 'Asia/Hong_Kong',
    from: 0,
    to: 100,
    next: 44,
    follows: false,
    bytes: 1_000,
    hidden: 0,
    asOf: null,
    note: null,
    key: null,
  })
  await screen.findByRole('button', { name: '44% saved on this device' })
  expect(screen.queryByText(/^Saving/)).toBeNull()
})
