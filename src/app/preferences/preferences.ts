/** Small choices of this browser. Storage may be forbidden: then they last as long as the page. */
const pageValues = new Map<string, string>()

export type PreferenceName = 'portal.language' | 'portal.theme' | 'portal.install' | 'portal.support'

export function readPreference(name: PreferenceName): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return pageValues.get(name) ?? null
  }
}

export function storePreference(name: PreferenceName, value: string) {
  pageValues.set(name, value)
  try {
    localStorage.setItem(name, value)
  } catch {
    // Kept for the page above; there is nowhere else to keep it.
  }
}
