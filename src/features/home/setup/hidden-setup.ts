/** Whether a user has hidden the first steps, as this device knows it, and whether the server still has to be told. */

const toKey = (userId: number) => `portal.setup.${userId}`
const toUnsentKey = (userId: number) => `${toKey(userId)}.unsent`

export const isSetupHiddenOnDevice = (userId: number): boolean => readValue(toKey(userId)) === 'hidden'

export const storeSetupHiddenOnDevice = (userId: number, isHidden: boolean): void =>
  storeValue(toKey(userId), isHidden ? 'hidden' : null)

/** Returns the choice that the server does not have yet, or null. */
export function readUnsentChoice(userId: number): boolean | null {
  const value = readValue(toUnsentKey(userId))
  return value === null ? null : value === 'hidden'
}

export const storeUnsentChoice = (userId: number, isHidden: boolean | null): void =>
  storeValue(toUnsentKey(userId), isHidden === null ? null : isHidden ? 'hidden' : 'shown')

function readValue(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function storeValue(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // The browser has no storage, so the choice lasts only as long as the page.
  }
}
