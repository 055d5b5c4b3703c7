/** Provides the server time in the business time zone (D31). The device's clock is used only to count the time since the last response. */
import { useSyncExternalStore } from 'react'
import { toTimestamp } from '#domain/time.ts'

interface BusinessClock {
  /** Business time zone. Null until the server has sent it to this device. */
  zone: string | null
  /** How far the server's clock is ahead of this device's, in ms. */
  aheadMs: number
  /** Latest server time that was received, in epoch ms. The business clock never shows an earlier time. */
  serverTime: number
}

const storageKey = 'portal.clock'
/** Clock differences below this time in ms are ignored, because a response is some seconds old when it arrives. */
const toleranceMs = 60_000

function readStored(): BusinessClock {
  const unknownClock: BusinessClock = { zone: null, aheadMs: 0, serverTime: 0 }
  try {
    const {
      zone,
      aheadMs,
      serverTime: storedServerTime,
    } = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<BusinessClock>
    return {
      zone: typeof zone === 'string' && isZone(zone) ? zone : null,
      aheadMs: Number.isFinite(aheadMs) ? Number(aheadMs) : 0,
      serverTime: Number.isFinite(storedServerTime) ? Number(storedServerTime) : 0,
    }
  } catch {
    return unknownClock
  }
}

function isZone(zone: string): boolean {
  try {
    toTimestamp(zone, 0)
    return true
  } catch {
    return false
  }
}

let cachedClock: BusinessClock | undefined
const readClock = () => (cachedClock ??= readStored())
const listeners = new Set<() => void>()

function updateClock(fields: Partial<BusinessClock>): void {
  cachedClock = { ...readClock(), ...fields }
  try {
    localStorage.setItem(storageKey, JSON.stringify(cachedClock))
  } catch {
    // The browser has no storage, so the clock lasts only as long as the page.
  }
}

/** Current server time in epoch ms. */
export const getBusinessNow = (): number => Math.max(Date.now() + readClock().aheadMs, readClock().serverTime)

/** Converts a time of this device's clock to server time, both in epoch ms. */
export const toServerTime = (instant: number): number => instant + readClock().aheadMs

/** The business time zone, or the device's own until the server has sent it. */
export const getBusinessZone = (): string => readClock().zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * Stores a server time (epoch ms). A time up to a minute before the latest one is from a late response and ignored. An earlier time means
 * that the server's clock was corrected.
 */
export function updateServerTime(serverTime: number): void {
  const { serverTime: latestServerTime } = readClock()
  if (serverTime <= latestServerTime && serverTime > latestServerTime - toleranceMs) return
  const aheadMs = serverTime - Date.now()
  const previousAheadMs = readClock().aheadMs
  updateClock({ serverTime: serverTime, aheadMs: Math.abs(aheadMs) < toleranceMs ? 0 : aheadMs })
  if (Math.abs(readClock().aheadMs - previousAheadMs) >= toleranceMs) for (const listener of listeners) listener()
}

export function setBusinessZone(zone: string): void {
  if (zone === readClock().zone || !isZone(zone)) return
  updateClock({ zone })
  for (const listener of listeners) listener()
}

/** Calls the listener when the time zone changes or the clock is corrected. Returns an unsubscribe function. */
export function subscribeToBusinessClock(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Formats a server time as `yyyy-MM-dd HH:mm:ss` in the business time zone. */
export const formatBusinessTime = (instant: number): string => toTimestamp(getBusinessZone(), instant)

export const useBusinessZone = (): string => useSyncExternalStore(subscribeToBusinessClock, getBusinessZone)

/** Formats a time as 14:05 if it is today, otherwise with its date, in the business time zone. `asOf` is server time in epoch ms. */
export function formatReadingTime(asOf: number, now = getBusinessNow()): string {
  const [time, today] = [formatBusinessTime(asOf), formatBusinessTime(now)]
  return time.slice(0, 10) === today.slice(0, 10) ? time.slice(11, 16) : time.slice(0, 16)
}
