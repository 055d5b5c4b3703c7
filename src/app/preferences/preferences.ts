/** Small choices of this browser. Storage may be forbidden: then they last as long as the page. */
const page = new Map<string, string>()

export type Choice = 'portal.language' | 'portal.theme' | 'portal.install' | 'portal.support'

export function recall(choice: Choice): string | null {
  try {
    return localStorage.getItem(choice)
  } catch {
    return page.get(choice) ?? null
  }
}

export function remember(choice: Choice, value: string) {
  page.set(choice, value)
  try {
    localStorage.setItem(choice, value)
  } catch {
    // Kept for the page above; there is nowhere else to keep it.
  }
}
