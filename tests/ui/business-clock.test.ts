import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const dayMs = 86_400_000
const serverTime = Date.UTC(2026, 10, 28, 16, 30)

/** Loads the module as a new page does. What an earlier page learned is in the browser's storage. */
async function openPage(deviceTime: number) {
  vi.resetModules()
  vi.setSystemTime(deviceTime)
  return await import('#ui/page/business-clock.ts')
}

beforeEach(() => {
  const storedItems = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => storedItems.get(name) ?? null,
    setItem: (name: string, value: string) => void storedItems.set(name, value),
  })
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test.each([
  ['34a, 20 days behind', -20 * dayMs],
  ['34a, 20 days ahead', 20 * dayMs],
])(
  "A device uses the server's clock in the business time zone, also after a reload (fault %s)",
  async (_, deviationMs) => {
    const firstPage = await openPage(serverTime + deviationMs)
    firstPage.setBusinessZone('Asia/Hong_Kong')
    firstPage.updateServerTime(serverTime)
    expect(firstPage.formatBusinessTime(firstPage.getBusinessNow())).toBe('2026-11-29 00:30:00')
    const laterPage = await openPage(serverTime + deviationMs + 3_600_000)
    expect(laterPage.formatBusinessTime(laterPage.getBusinessNow())).toBe('2026-11-29 01:30:00')
    expect(laterPage.toServerTime(serverTime + deviationMs)).toBe(serverTime)
  },
)

test('A device clock that is set back offline never shows a time before the last server time (fault 34b)', async () => {
  const firstPage = await openPage(serverTime)
  firstPage.updateServerTime(serverTime)
  const laterPage = await openPage(serverTime - 20 * dayMs)
  expect(laterPage.getBusinessNow()).toBe(serverTime)
  laterPage.updateServerTime(serverTime - 1)
  expect(laterPage.getBusinessNow()).toBe(serverTime)
  // The server's clock was wrong and has been corrected.
  laterPage.updateServerTime(serverTime - 3_600_000)
  expect(laterPage.getBusinessNow()).toBe(serverTime - 3_600_000)
})

test('A difference of seconds is ignored, and a greater correction is notified once (fault 34c)', async () => {
  const { getBusinessNow, updateServerTime, subscribeToBusinessClock } = await openPage(serverTime)
  let notificationCount = 0
  subscribeToBusinessClock(() => (notificationCount += 1))
  updateServerTime(serverTime - 20_000)
  expect([getBusinessNow(), notificationCount]).toEqual([serverTime, 0])
  updateServerTime(serverTime + 2 * 60_000)
  updateServerTime(serverTime + 2 * 60_000 + 1_000)
  expect([getBusinessNow(), notificationCount]).toEqual([serverTime + 2 * 60_000 + 1_000, 1])
})

test('Invalid stored values of the clock are ignored (fault 34d)', async () => {
  localStorage.setItem('portal.clock', '{"zone":"Nowhere/None","aheadMs":"x","heardAt":null}')
  const { getBusinessNow, getBusinessZone, setBusinessZone } = await openPage(serverTime)
  expect(getBusinessNow()).toBe(serverTime)
  setBusinessZone('Nowhere/None')
  expect(getBusinessZone()).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone)
})
