/** Values of preferences if the browser forbids storage. They last as long as the page. */
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
    // Without storage the preference is kept for this page only.
  }
}
