/** The companies that a user last chose in a picker on this device, latest first. Only ids are stored; names come from the device's rows. */
const maxRecent = 5
const getStorageKey = (userId: number) => `portal.companies.${userId}`

export function readRecentCompanies(userId: number): number[] {
  try {
    const storedValue: unknown = JSON.parse(localStorage.getItem(getStorageKey(userId)) ?? '[]')
    return Array.isArray(storedValue) ? storedValue.filter(Number.isInteger).slice(0, maxRecent) : []
  } catch {
    // The browser forbids storage, or the stored text was not written by this page.
    return []
  }
}

export function addRecentCompany(userId: number, id: number): void {
  const ids = [id, ...readRecentCompanies(userId).filter((recentId) => recentId !== id)].slice(0, maxRecent)
  try {
    localStorage.setItem(getStorageKey(userId), JSON.stringify(ids))
  } catch {
    // The recent companies are only a convenience, so a failure to store them is ignored.
  }
}
