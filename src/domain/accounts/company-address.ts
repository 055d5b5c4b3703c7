/** Lines of a company's address, as on printed documents and in the preview of the company page. */
import type { CompanyField } from '#domain/accounts/company-fields.ts'

type AddressFields = Partial<
  Record<Extract<CompanyField, 'addr1' | 'addr2' | 'addr3' | 'city' | 'province'>, string | null>
>

/**
 * Smaller units come first, as in the other address rows. A city that is also a country appears once. `countryName`: in the language of the
 * document; null if no country is given.
 */
export function buildAddressLines(
  { addr1, addr2, addr3, city, province }: AddressFields,
  countryName: string | null,
): string[] {
  const areaNames = [city, province, countryName].filter(Boolean)
  const lines = [addr1, addr2, addr3, [...new Set(areaNames)].join(', ')]
  return lines.flatMap((line) => (line ? [line] : []))
}
