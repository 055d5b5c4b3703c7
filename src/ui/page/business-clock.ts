/**
 * One clock and one time zone for all that a page shows or decides: the server's time in the business time zone (D31). What the
 * device's own clock says is only the time that has passed since the server was last heard.
 */
import { useSyncExternalStore } from 'react'
import { toTimestamp } from '#domain/time.ts'

interface BusinessClock {
  /** Null: the server has not said it on this device yet. */
  zone: string | null
  /** How far the server's clock is ahead of this device's, in ms. */
  aheadMs: number
  /** The newest server time that was heard, epoch ms: it is never earlier than that. */
  serverTime: number
}

const storageKey = 'portal.clock'
/** Clocks that differ by less are taken to agree, as a response is some seconds old when it arrives. */
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
    // Without storage it is known for as long as the page lives.
  }
}

/** The server's time now, epoch ms. */
export const getBusinessNow = (): number => Math.max(Date.now() + readClock().aheadMs, readClock().serverTime)

/** An instant that this device's clock gave, by the server's clock. */
export const toServerTime = (instant: number): number => instant + readClock().aheadMs

/** The business time zone; the device's own until the server has said it. */
export const getBusinessZone = (): string => readClock().zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * A server time that has just arrived, epoch ms. One that is a little earlier came in the wrong order; one that is much earlier comes
 * from a server whose clock was put right.
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

/** Hears when the zone becomes known or the clock is put right; returns how to stop. */
export function subscribeToBusinessClock(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** `yyyy-MM-dd HH:mm:ss` in the business time zone. */
export const formatBusinessTime = (instant: number): string => toTimestamp(getBusinessZone(), instant)

/** The business time zone, for whoever shows times in it. */
export const useBusinessZone = (): string => useSyncExternalStore(subscribeToBusinessClock, getBusinessZone)
