/** Tests the user list: filters, messages for missing rows, and labels for screen readers. */
import { screen } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { getButton, getEmptyListButton } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { readNames, userAction } from '#tests/support/pages/users.ts'
import { canaries } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const toUserName = (role: string) => `${canaries.alpha} ${role}`
const openList = async () => {
  await fixture.browser.openAs('admin@alpha', '/app/user')
  await expect.poll(() => readNames().length).toBeGreaterThan(0)
}

describe('the user list', () => {
  it('filters by status or adds deleted users, and clears all filters at once (C-04, D91)', async () => {
    await openList()
    const readShownRoles = () => readNames().map((name) => name.split(' ')[1])
    const allRoles = readShownRoles()
    expect(allRoles).not.toContain('deleted')
    const status = screen.getByLabelText('Status')
    await fixture.user.selectOptions(status, 'Disabled')
    await expect.poll(readShownRoles).toEqual(['disabled'])
    await fixture.user.selectOptions(status, 'All')
    await expect.poll(readShownRoles).toEqual(allRoles)
    await fixture.user.selectOptions(status, 'Include deleted')
    await expect.poll(() => readShownRoles().length).toBe(allRoles.length + 1)
    await fixture.user.selectOptions(status, 'Deleted')
    await expect.poll(readShownRoles).toEqual(['deleted'])
    await fixture.user.click(getButton('Clear filters'))
    await expect.poll(readShownRoles).toEqual(allRoles)
    expect(fixture.browser.path()).toBe('/app/user')
  })

  nightly(
    'is not shown as empty before the first rows, and offers to clear filters without a match (C-03)',
    async () => {
      // The device has a session but no cached user.
      await fixture.browser.openAs('admin@alpha')
      let isListEmpty = false
      const checkList = () =>
        (isListEmpty ||= document.querySelector('.list') !== null && !document.querySelector('.list table'))
      const observer = new MutationObserver(checkList)
      observer.observe(document, { childList: true, subtree: true })
      await fixture.browser.open('/app/user')
      await expect.poll(() => readNames().length).toBeGreaterThan(1)
      expect(isListEmpty).toBe(false)
      await fixture.browser.open('/app/user?searchText=nobody+of+that+name')
      await screen.findByRole('heading', { name: 'Nothing matches “nobody of that name”' })
      await expect.poll(() => isListEmpty).toBe(true)
      observer.disconnect()
      await expect.poll(() => document.querySelector('.list-searched')?.textContent).toMatch(/^Updated /)
      await fixture.user.click(getEmptyListButton('Clear search'))
      await expect.poll(() => readNames().length).toBeGreaterThan(1)
    },
  )

  nightly('shows offline which rows were searched and how many changes wait, also without a match (P-12)', async () => {
    const originalFetch = fetch
    // The device stores only displayed pages, because the background load of the other rows fails.
    vi.stubGlobal('fetch', (request: Request) =>
      String(request.url ?? request).includes('since=') ? Promise.reject(new TypeError()) : originalFetch(request),
    )
    await fixture.browser.openAs('admin@alpha', '/app/user?statusType=1')
    await expect.poll(() => readNames().length).toBeGreaterThan(0)
    fixture.browser.goOffline()
    const readFreshness = () => document.querySelector('.freshness')?.textContent
    await fixture.browser.open('/app/user?searchText=second')
    await expect.poll(readFreshness).toMatch(/^Updated .+ · 1 found among 4 saved on this device$/)
    expect(document.querySelector('.list-foot [role=status]')?.textContent).not.toContain('1 user')
    await userAction(fixture.user, toUserName('second'), 'Disable')
    await expect.poll(readFreshness).toMatch(/ · 1 waiting change included$/)
    await fixture.browser.open('/app/user?searchText=nobody+of+that+name')
    await screen.findByRole('heading', { name: 'Nothing found on this device' }, { timeout: 900 })
    await expect.poll(readFreshness).toContain('0 found among 4 saved on this device')
    expect(document.querySelector('.problem')).toBeNull()
  })

  it('shows offline that it was never loaded, without an error or placeholder rows', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/profile/user')
    fixture.browser.goOffline()
    await fixture.browser.open('/app/user')
    await screen.findByRole('heading', { name: 'No users are saved on this device yet' }, { timeout: 1_500 })
    expect(document.querySelector('.problem, .list table, main [role=alert]:not(:empty)')).toBeNull()
  })

  it('has names for its table and controls that screen readers announce (A-06, A-09)', async () => {
    await openList()
    const table = screen.getByRole('table')
    expect(table.querySelector('caption')?.textContent).toBe(`Users of ${canaries.alpha} Ltd`)
    expect(table.querySelectorAll('thead th[scope="col"]')).toHaveLength(7)
    getButton(`More for ${toUserName('invited')}`)
    await expect.poll(() => document.querySelector('.list-foot [role=status]')?.textContent).toContain('Updated')
    await expect.poll(() => document.title).toBe(`Users · ${canaries.alpha} Ltd · Service portal`)
  })
})
