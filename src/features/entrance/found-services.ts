/**
 * Codes that were found on this device, the latest first, with where they led (M9): what anybody may ask for, kept so
 * that the way to one's own service is known without a network too.
 */
export interface EntranceService {
  code: string
  url: string
  /** Null: it has no admin site that is known (portal 9). */
  adminUrl: string | null
  /** When the server last said so, epoch ms. */
  at: number
}

const storageKey = 'portal.entrance'
const maxServices = 5

export function readFoundServices(): EntranceService[] {
  try {
    const storedValue: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(storedValue) ? storedValue.filter(isFoundService).slice(0, maxServices) : []
  } catch {
    // Storage that is off, or holds what somebody else put there.
    return []
  }
}

export const addFoundService = (services: readonly EntranceService[], service: EntranceService): EntranceService[] =>
  [service, ...services.filter(({ code }) => code !== service.code)].slice(0, maxServices)

export const removeServiceCode = (services: readonly EntranceService[], code: string): EntranceService[] =>
  services.filter((service) => service.code !== code)

export function storeFoundServices(services: readonly EntranceService[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(services))
  } catch {
    // It is only remembered for comfort.
  }
}

/** Only what leads to the web is a way (S-08). */
const isFoundService = (value: unknown): value is EntranceService => {
  const { code, url, adminUrl, at: foundAt } = (value ?? {}) as Partial<EntranceService>
  return typeof code === 'string' && isWebUrl(url) && isOptionalWebUrl(adminUrl) && typeof foundAt === 'number'
}
export const isOptionalWebUrl = (url: unknown): url is string | null => url === null || isWebUrl(url)
export const isWebUrl = (url: unknown): url is string => typeof url === 'string' && /^https?:\/\//i.test(url)
