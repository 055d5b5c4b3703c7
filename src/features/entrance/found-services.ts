/**
 * Codes that were found on this device, latest first, with their addresses (M9). Anybody may look these up. They are stored so that users
 * can open their own service without a connection to the portal.
 */
export interface EntranceService {
  code: string
  url: string
  /** Null if no admin site is known (portal 9). */
  adminUrl: string | null
  /** When the server last confirmed it, epoch ms. */
  at: number
}

const storageKey = 'portal.entrance'
const maxServices = 5

export function readFoundServices(): EntranceService[] {
  try {
    const storedValue: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(storedValue) ? storedValue.filter(isFoundService).slice(0, maxServices) : []
  } catch {
    // Storage is off, or contains something that this page did not write.
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
    // The list is only a convenience, so a failure is ignored.
  }
}

/** Only web addresses are accepted (S-08). */
const isFoundService = (value: unknown): value is EntranceService => {
  const { code, url, adminUrl, at: foundAt } = (value ?? {}) as Partial<EntranceService>
  return typeof code === 'string' && isWebUrl(url) && isOptionalWebUrl(adminUrl) && typeof foundAt === 'number'
}
export const isOptionalWebUrl = (url: unknown): url is string | null => url === null || isWebUrl(url)
export const isWebUrl = (url: unknown): url is string => typeof url === 'string' && /^https?:\/\//i.test(url)
