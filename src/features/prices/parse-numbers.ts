/** Parses numbers as people type them in a price list. */

/**
 * Parses a typed amount or percentage to the form "1234.50". Accepts full-width digits, spaces, commas between thousands, and no decimals.
 * Returns null if it is invalid. A negative number is parsed and refused by a later check.
 */
export function parseAmount(text: string): string | null {
  const normalisedText = text.normalize('NFKC').replaceAll(/\s/g, '')
  const match = /^(-?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{0,2}))?$/.exec(normalisedText)
  if (!match) return null
  const [, sign = '', wholeDigits = '', cents = ''] = match
  const digits = wholeDigits.replaceAll(',', '').replace(/^0+(?=\d)/, '')
  return digits.length > 11 ? null : `${sign}${digits}.${cents.padEnd(2, '0')}`
}

/** Parses a number of users. Returns null if it cannot be parsed, and -1 for any negative number. */
export function parseWholeNumber(text: string): number | null {
  const normalisedText = text.normalize('NFKC').replaceAll(/[\s,]/g, '')
  if (/^-\d+$/.test(normalisedText)) return -1
  return /^\d{1,9}$/.test(normalisedText) ? Number(normalisedText) : null
}
