/** Files of price lists (`.zip`, D78): why one is refused. The import page and the server go by the same words. */
import { toDisplayName } from '#domain/catalogue/mapp.ts'

/** What the file of a price list ends in, however its letters are written (contracts 5). */
export const isPriceFileName = (name: string): boolean => /^.{1,195}\.zip$/is.test(name)

/** Why a file is refused, each by itself. Words: `fault` in `prices.json` of each language. */
export const priceFileFaults = [
  /** By its name. */
  'wrongEnding',
  /** No zip file, or a damaged one. */
  'notZip',
  /** More bytes in it than a price list can have. */
  'tooLarge',
  /** It unpacks to much more than it is, or has links or one file twice. */
  'unsafe',
  'tooManyFiles',
  /** `subject`: a name that leads elsewhere, or that some system cannot hold. */
  'unsafeName',
  'encrypted',
  'packing',
  /** `subject`: which of `manifest.json` and `price.json`. */
  'missingPart',
  /** Its manifest is none, or is of something else than a price list of a version that is known here. */
  'otherFormat',
  /** The list is not the one that its manifest was written for. */
  'wrongHash',
  /** `subject`: the first field that a price list does not have. */
  'foreignFields',
  /** `subject`: the first field that is missing, or whose value no list can have. */
  'badList',
] as const
export type PriceFileFaultCode = (typeof priceFileFaults)[number]

export interface PriceFileFault {
  code: PriceFileFaultCode
  /** The part or field that it is about, fit to be shown. */
  subject?: string
}

export const createPriceFileFault = (code: PriceFileFaultCode, subject?: string): PriceFileFault =>
  subject === undefined || subject === '' ? { code } : { code, subject: toDisplayName(subject) }

/** A fault as the one word that a field problem carries (`subject` of BAD_ARCHIVE), and back; null: no word of ours. */
export const formatPriceFault = ({ code, subject }: PriceFileFault): string =>
  subject === undefined ? code : `${code} ${subject}`
export function parsePriceFault(faultText: string): PriceFileFault | null {
  const [, codeText = '', subject] = /^(\w+)(?: (.*))?$/s.exec(faultText) ?? []
  const code = priceFileFaults.find((faultCode) => faultCode === codeText)
  return code ? createPriceFileFault(code, subject) : null
}
