import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const dayMs = 86_400_000
const serverTime = Date.UTC(2026, 10, 28, 16, 30)

/** As a page that begins finds it: what an earlier one heard is in the browser's storage. */
async function openPage(deviceTime: number) {
  vi.resetModules()
  vi.setSystemTime(deviceTime)
  return await import('#ui/page/business-clock.ts')
}

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  })
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test.each([
  ['34a 20 days behind', -20 * dayMs],
  ['34a 20 days ahead', 20 * dayMs],
])(
  'fault %s: a device goes by the server’s clock, also after a reload, in the business time zone',
  async (_, wrong) => {
    const first = await openPage(serverTime + wrong)
    first.setBusinessZone('Asia/Hong_Kong')
    first.hearServerTime(serverTime)
    expect(first.businessTime(first.businessNow())).toBe('2026-11-29 00:30:00')
    const later = await openPage(serverTime + wrong + 3_600_000)
    expect(later.businessTime(later.businessNow())).toBe('2026-11-29 01:30:00')
    expect(later.fromDeviceClock(serverTime + wrong)).toBe(serverTime)
  },
)

test('fault 34b a device that is set back while there is no connection never goes behind what it has heard', async () => {
  const first = await openPage(serverTime)
  first.hearServerTime(serverTime)
  const later = await openPage(serverTime - 20 * dayMs)
  expect(later.businessNow()).toBe(serverTime)
  later.hearServerTime(serverTime - 1)
  expect(later.businessNow()).toBe(serverTime)
  // The server itself had been wrong, and says so.
  later.hearServerTime(serverTime - 3_600_000)
  expect(later.businessNow()).toBe(serverTime - 3_600_000)
})

test('fault 34c a clock that differs by seconds is left alone, and who shows times hears of a greater correction once', async () => {
  const { businessNow, hearServerTime, onBusinessClock } = await openPage(serverTime)
  let heard = 0
  onBusinessClock(() => (heard += 1))
  hearServerTime(serverTime - 20_000)
  expect([businessNow(), heard]).toEqual([serverTime, 0])
  hearServerTime(serverTime + 2 * 60_000)
  hearServerTime(serverTime + 2 * 60_000 + 1_000)
  expect([businessNow(), heard]).toEqual([serverTime + 2 * 60_000 + 1_000, 1])
})

test('fault 34d what stands in the storage by mistake breaks nothing', async () => {
  localStorage.setItem('portal.clock', '{"zone":"Nowhere/None","aheadMs":"x","heardAt":null}')
  const { businessNow, businessZone, setBusinessZone } = await openPage(serverTime)
  expect(businessNow()).toBe(serverTime)
  setBusinessZone('Nowhere/None')
  expect(businessZone()).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone)
})
