/** Stores which items a user opened last, on this device. Only keys are stored, no names. */

const maxItems = 6
const storageKeyPrefix = 'portal.recent.'

export interface RecentItemsOwner {
  companyId: number
  userId: number
}

const toStorageKey = ({ companyId, userId }: RecentItemsOwner) => `${storageKeyPrefix}${companyId}-${userId}`

/** Returns the keys of the latest items, the latest first. */
export function readRecentKeys(owner: RecentItemsOwner): string[] {
  try {
    const keys: unknown = JSON.parse(localStorage.getItem(toStorageKey(owner)) ?? '[]')
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string').slice(0, maxItems) : []
  } catch {
    // The browser has no storage, or another program wrote the value.
    return []
  }
}

export function addRecentKey(owner: RecentItemsOwner, key: string): void {
  const otherKeys = readRecentKeys(owner).filter((otherKey) => otherKey !== key)
  try {
    localStorage.setItem(toStorageKey(owner), JSON.stringify([key, ...otherKeys].slice(0, maxItems)))
  } catch {
    // Without storage there are no recent items.
  }
}
