/** Lines of a company's address, as on printed documents and in the preview of the company page. */
import type { CompanyField, CountryCode } from '#domain/accounts/company-fields.ts'

type AddressFields = Partial<
  Record<Extract<CompanyField, 'addr1' | 'addr2' | 'addr3' | 'city' | 'province'>, string | null>
> & { country?: CountryCode | null }

/** Names of a country in all languages of the portal, as users type them as a city or a province. */
const countryNames: Record<CountryCode, readonly string[]> = { CN: ['China', '中国'], HK: ['Hong Kong', '香港'] }

/**
 * Smaller units come first, as in the other address rows. A city that is also a country appears once, as the user typed it. `countryName`: in
 * the language of the document; null if no country is given.
 */
export function buildAddressLines(
  { addr1, addr2, addr3, city, province, country }: AddressFields,
  countryName: string | null,
): string[] {
  const ownNames = [city, province].filter(Boolean)
  const knownNames = (country ? countryNames[country] : []).map((name) => name.toLowerCase())
  const hasCountry = ownNames.some((name) => knownNames.includes(name?.trim().toLowerCase() ?? ''))
  const areaNames = [...ownNames, hasCountry ? null : countryName].filter(Boolean)
  const lines = [addr1, addr2, addr3, [...new Set(areaNames)].join(', ')]
  return lines.flatMap((line) => (line ? [line] : []))
}
