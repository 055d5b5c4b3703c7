/**
 * Stores what the device knows about its session's tokens: when they end, the hash of the latest one, and whether a renewal is already
 * claimed.
 */
import type { Device } from '#local/storage/device.ts'
import { transact } from '#local/storage/transaction.ts'

export interface TokenLifetimes {
  /** Time after which the server no longer renews the session (device clock, epoch ms). Absent if the server sent no end time. */
  until?: number
  /** Time from which the token is renewed early, before it ends. Absent if it is renewed only after its end. */
  renewFrom?: number
  /** Hash of the access token, sent by the server (`access_hash`). Absent if an earlier build received the token. */
  newestAccess?: string
}

/** Stores the lifetimes of a new token. A renewal extends the session and does nothing else (W-06). */
export async function storeTokenLifetimes(device: Device, lifetimes: TokenLifetimes): Promise<void> {
  await device.directory.session.update('now', lifetimes)
}

/** Returns true for one caller over all pages and workers, once per token. An early renewal that fails is not repeated. */
export async function claimRenewal(device: Device, now: number): Promise<boolean> {
  const { directory } = device
  return await transact(directory, ['session'], async () => {
    const { renewFrom, subject, signedOut } = (await directory.session.get('now')) ?? {}
    if (renewFrom === undefined || renewFrom > now || !subject || signedOut) return false
    await directory.session.update('now', { renewFrom: undefined })
    return true
  })
}
