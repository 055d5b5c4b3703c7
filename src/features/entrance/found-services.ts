/**
 * Codes that were found on this device, the latest first, with where they led (M9): what anybody may ask for, kept so
 * that the way to one's own service is known without a network too.
 */
export interface Found {
  code: string
  url: string
  /** Null: it has no admin site that is known (portal 9). */
  adminUrl: string | null
  /** When the server last said so, epoch ms. */
  at: number
}

const name = 'portal.entrance'
const most = 5

export function readFound(): Found[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isFound).slice(0, most) : []
  } catch {
    // Storage that is off, or holds what somebody else put there.
    return []
  }
}

export const withFound = (all: readonly Found[], found: Found): Found[] =>
  [found, ...all.filter(({ code }) => code !== found.code)].slice(0, most)

export const withoutCode = (all: readonly Found[], code: string): Found[] => all.filter((one) => one.code !== code)

export function keepFound(all: readonly Found[]): void {
  try {
    localStorage.setItem(name, JSON.stringify(all))
  } catch {
    // It is only remembered for comfort.
  }
}

/** Only what leads to the web is a way (S-08). */
const isFound = (value: unknown): value is Found => {
  const { code, url, adminUrl, at } = (value ?? {}) as Partial<Found>
  return typeof code === 'string' && isWeb(url) && isWay(adminUrl) && typeof at === 'number'
}
export const isWay = (url: unknown): url is string | null => url === null || isWeb(url)
export const isWeb = (url: unknown): url is string => typeof url === 'string' && /^https?:\/\//i.test(url)
