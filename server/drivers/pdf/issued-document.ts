/** Description of an issued document, from which both its page and its PDF are made. All texts are in the document's language. */
import type { Language } from '#domain/accounts/users.ts'

/** The description has no facts without a value. */
export type DocumentFact = [label: string, value: string]

export interface DocumentParty {
  /** What the company is in this document, such as "Provider". */
  role: string
  name: string
  addressLines: string[]
  facts: DocumentFact[]
}

export interface DocumentSection {
  title: string
  facts: DocumentFact[]
}

export interface DocumentLine {
  text: string
  /** Formatted, without the currency. */
  amount: string
  isSum: boolean
}

export interface AmountTable {
  title: string
  heads: [text: string, amount: string]
  lines: DocumentLine[]
}

/** `part`: an amount that the total consists of, or that was paid. `words`: the total in words. */
export interface DocumentTotal {
  kind: 'part' | 'total' | 'words'
  label: string
  value: string
}

/** What the reader must copy exactly, in large type. */
export interface DocumentHighlight {
  label: string
  value: string
  text: string
}

/** An invoice, a credit note or a pro-forma invoice. A credit note has no table, and only a pro-forma has a highlight. */
export interface IssuedDocument {
  language: Language
  title: string
  number: string
  /** Local time `YYYY-MM-DD HH:mm:ss` in `timeZone`. Also the date inside the PDF, which so depends on the content only. */
  issued: string
  timeZone: string
  /** Such as "Paid". */
  state: string
  parties: DocumentParty[]
  sections: DocumentSection[]
  table: AmountTable | null
  totals: DocumentTotal[]
  highlight?: DocumentHighlight
  notes: string[]
  /** Shown in the PDF if it has squares for characters that its fonts lack. */
  squaresNote: string
  footer: string
}
