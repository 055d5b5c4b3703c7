/** Tests the age of data and the tooltips of times, with a clock that the test sets. */
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { setBusinessZone } from '#ui/page/business-clock.ts'
import { getZoneParts } from '#ui/page/zone-name.ts'

const noon = Date.UTC(2026, 10, 30, 4)
const minuteMs = 60_000

beforeEach(async () => {
  await startMessages()
  vi.useFakeTimers({ now: noon })
  setBusinessZone('Asia/Hong_Kong')
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const pass = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })

it('The age of data counts up by itself, and the list around it is not rendered again', () => {
  const onRender = vi.fn<() => void>()
  function List() {
    onRender()
    return <Freshness freshness={{ asOf: noon, cachedCount: 3, total: 3, complete: true }} />
  }
  render(<List />)
  const time = screen.getByText('Updated just now')
  expect(time.title).toBe('2026-11-30 12:00:00 · Hong Kong time (UTC+8)')
  // The footer is a live region, which must not announce each minute.
  expect(time.getAttribute('aria-live')).toBe('off')
  pass(minuteMs)
  expect(time.textContent).toBe('Updated 1 min ago')
  pass(59 * minuteMs)
  expect(time.textContent).toBe('Updated 1 h ago')
  pass(22 * 60 * minuteMs)
  expect(time.textContent).toBe('Updated 23 h ago')
  pass(60 * minuteMs)
  expect(time.textContent).toBe('Updated 2026-11-30 12:00')
  expect(onRender).toHaveBeenCalledTimes(1)
})

it('No timer runs after the last text has been removed', () => {
  const { unmount } = render(<Freshness freshness={{ asOf: noon, cachedCount: 0, total: 0, complete: true }} />)
  expect(vi.getTimerCount()).toBe(1)
  unmount()
  expect(vi.getTimerCount()).toBe(0)
})

it('A time names the zone in its tooltip, and a time that the server never sends stays a text', () => {
  render(
    <>
      <BusinessTime time="2026-07-01 09:30:00" />
      <BusinessTime time="nonsense">odd</BusinessTime>
    </>,
  )
  expect(screen.getByText('2026-07-01 09:30:00').title).toBe('2026-07-01 09:30:00 · Hong Kong time (UTC+8)')
  expect(screen.getByText('odd').title).toBe('nonsense')
})

it.each([
  ['en', 'Asia/Hong_Kong', noon, 'Hong Kong time', 'UTC+8'],
  ['zh', 'Asia/Hong_Kong', noon, '香港时间', 'UTC+8'],
  ['en', 'Europe/London', Date.UTC(2026, 6, 1), 'United Kingdom time', 'UTC+1'],
  ['en', 'Europe/London', noon, 'United Kingdom time', 'UTC'],
  ['en', 'UTC', noon, '', 'UTC'],
])('In %s the zone %s at %d is "%s", %s', (language, zone, instant, name, offset) => {
  expect(getZoneParts(language, zone, instant)).toEqual({ name, offset })
})
