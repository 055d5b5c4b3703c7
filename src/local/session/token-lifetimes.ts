/** What the device knows of its session's tokens: when they end, which one is the newest, and whether somebody already sees to the next one. */
import type { Device } from '#local/storage/device.ts'
import { transact } from '#local/storage/transaction.ts'

export interface TokenLifetimes {
  /** When the server renews the session no longer, this device's clock, epoch ms; absent: it did not say. */
  until?: number
  /** From when on a token is asked for before the present one ends; absent: not before it has ended. */
  renewFrom?: number
  /** What the server calls the access token by (`access_hash`); absent: an earlier build gave it. */
  newestAccess?: string
}

/** The server gave a token. A renewal lengthens the session, and only that (W-06). */
export async function storeTokenLifetimes(device: Device, lifetimes: TokenLifetimes): Promise<void> {
  await device.directory.session.update('now', lifetimes)
}

/** True for one asker over all pages and workers, once a token: renewing ahead that fails is not tried again. */
export async function claimRenewal(device: Device, now: number): Promise<boolean> {
  const { directory } = device
  return await transact(directory, ['session'], async () => {
    const { renewFrom, subject, signedOut } = (await directory.session.get('now')) ?? {}
    if (renewFrom === undefined || renewFrom > now || !subject || signedOut) return false
    await directory.session.update('now', { renewFrom: undefined })
    return true
  })
}
