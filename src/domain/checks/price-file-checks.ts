/** Price list files (`.zip`, D78): the reasons to refuse one, used by the import page and the server. */
import { toDisplayName } from '#domain/catalogue/mapp.ts'

/** Checks the file ending of a price list, ignoring case (contracts 5). */
export const isPriceFileName = (name: string): boolean => /^.{1,195}\.zip$/is.test(name)

/** Reasons why a file is refused. Texts: `fault` in `prices.json` of each language. */
export const priceFileFaults = [
  'wrongEnding',
  'notZip',
  'tooLarge',
  /** Its unpacked size is far larger than the file, or it contains links or a repeated file name. */
  'unsafe',
  'tooManyFiles',
  /** `subject`: a name that points outside the archive or that some systems cannot store. */
  'unsafeName',
  'encrypted',
  'packing',
  /** `subject`: `manifest.json` or `price.json`. */
  'missingPart',
  /** The manifest is invalid, or it is not for a price list of a known version. */
  'otherFormat',
  'wrongHash',
  /** `subject`: the first unknown field. */
  'foreignFields',
  /** `subject`: the first field that is missing or has an invalid value. */
  'badList',
] as const
export type PriceFileFaultCode = (typeof priceFileFaults)[number]

export interface PriceFileFault {
  code: PriceFileFaultCode
  /** The file part or field with the fault, safe to display. */
  subject?: string
}

export const createPriceFileFault = (code: PriceFileFaultCode, subject?: string): PriceFileFault =>
  subject === undefined || subject === '' ? { code } : { code, subject: toDisplayName(subject) }

/** Formats a fault as the `subject` of a BAD_ARCHIVE problem, and parses it. Parsing returns null for an unknown text. */
export const formatPriceFault = ({ code, subject }: PriceFileFault): string =>
  subject === undefined ? code : `${code} ${subject}`
export function parsePriceFault(faultText: string): PriceFileFault | null {
  const [, codeText = '', subject] = /^(\w+)(?: (.*))?$/s.exec(faultText) ?? []
  const code = priceFileFaults.find((faultCode) => faultCode === codeText)
  return code ? createPriceFileFault(code, subject) : null
}
