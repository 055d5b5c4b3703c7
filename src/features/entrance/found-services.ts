/**
 * Stores the codes that were found on this device, latest first, with their addresses (M9). Nobody needs a login to find them. They are
 * stored so that users can open their service while the portal cannot be reached.
 */
export interface EntranceService {
  code: string
  url: string
  /** Null if no admin site is known (portal 9). */
  adminUrl: string | null
  /** When the server last confirmed the address, epoch ms. */
  at: number
}

const storageKey = 'portal.entrance'
const maxServices = 5

export function readFoundServices(): EntranceService[] {
  try {
    const storedValue: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(storedValue) ? storedValue.filter(isFoundService).slice(0, maxServices) : []
  } catch {
    // The browser forbids storage, or the stored text was not written by this page.
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
    // The list of found services is only a convenience, so a failure to store it is ignored.
  }
}

/** Only web addresses are accepted (S-08). */
const isFoundService = (value: unknown): value is EntranceService => {
  const { code, url, adminUrl, at: foundAt } = (value ?? {}) as Partial<EntranceService>
  return typeof code === 'string' && isWebUrl(url) && isOptionalWebUrl(adminUrl) && typeof foundAt === 'number'
}
export const isOptionalWebUrl = (url: unknown): url is string | null => url === null || isWebUrl(url)
export const isWebUrl = (url: unknown): url is string => typeof url === 'string' && /^https?:\/\//i.test(url)
