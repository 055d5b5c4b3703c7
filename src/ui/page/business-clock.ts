/**
 * One clock and one time zone for all that a page shows or decides: the server's time in the business time zone (D31). What the
 * device's own clock says is only the time that has passed since the server was last heard.
 */
import { useSyncExternalStore } from 'react'
import { timestampIn } from '#domain/time.ts'

interface BusinessClock {
  /** Null: the server has not said it on this device yet. */
  zone: string | null
  /** How far the server's clock is ahead of this device's, in ms. */
  aheadMs: number
  /** The newest server time that was heard, epoch ms: it is never earlier than that. */
  heardAt: number
}

const name = 'portal.clock'
/** Clocks that differ by less are taken to agree, as a response is some seconds old when it arrives. */
const toleranceMs = 60_000

function readStored(): BusinessClock {
  const unknown: BusinessClock = { zone: null, aheadMs: 0, heardAt: 0 }
  try {
    const { zone, aheadMs, heardAt } = JSON.parse(localStorage.getItem(name) ?? '{}') as Partial<BusinessClock>
    return {
      zone: typeof zone === 'string' && isZone(zone) ? zone : null,
      aheadMs: Number.isFinite(aheadMs) ? Number(aheadMs) : 0,
      heardAt: Number.isFinite(heardAt) ? Number(heardAt) : 0,
    }
  } catch {
    return unknown
  }
}

function isZone(zone: string): boolean {
  try {
    timestampIn(zone, 0)
    return true
  } catch {
    return false
  }
}

let clock: BusinessClock | undefined
const read = () => (clock ??= readStored())
const listeners = new Set<() => void>()

function change(fields: Partial<BusinessClock>): void {
  clock = { ...read(), ...fields }
  try {
    localStorage.setItem(name, JSON.stringify(clock))
  } catch {
    // Without storage it is known for as long as the page lives.
  }
}

/** The server's time now, epoch ms. */
export const businessNow = (): number => Math.max(Date.now() + read().aheadMs, read().heardAt)

/** An instant that this device's clock gave, by the server's clock. */
export const fromDeviceClock = (instant: number): number => instant + read().aheadMs

/** The business time zone; the device's own until the server has said it. */
export const businessZone = (): string => read().zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * A server time that has just arrived, epoch ms. One that is a little earlier came in the wrong order; one that is much earlier comes
 * from a server whose clock was put right.
 */
export function hearServerTime(serverTime: number): void {
  const { heardAt } = read()
  if (serverTime <= heardAt && serverTime > heardAt - toleranceMs) return
  const aheadMs = serverTime - Date.now()
  const before = read().aheadMs
  change({ heardAt: serverTime, aheadMs: Math.abs(aheadMs) < toleranceMs ? 0 : aheadMs })
  if (Math.abs(read().aheadMs - before) >= toleranceMs) for (const listener of listeners) listener()
}

export function setBusinessZone(zone: string): void {
  if (zone === read().zone || !isZone(zone)) return
  change({ zone })
  for (const listener of listeners) listener()
}

/** Hears when the zone becomes known or the clock is put right; returns how to stop. */
export function onBusinessClock(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** `yyyy-MM-dd HH:mm:ss` in the business time zone. */
export const businessTime = (instant: number): string => timestampIn(businessZone(), instant)

/** The business time zone, for whoever shows times in it. */
export const useBusinessZone = (): string => useSyncExternalStore(onBusinessClock, businessZone)
