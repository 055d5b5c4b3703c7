/** Tests the label of the button of a partly stored trail (fault 46). */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()

it('The audit trail shows "saving" only while it saves, and offline how much is stored (fault 46d)', async () => {
  await fixture.browser.openAs('admin@alpha', '/app/systrail')
  // The module is imported here, because each page load has its own modules.
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
