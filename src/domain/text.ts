/**
 * The one order of text (I-14): stored beside the column on the server (`COLLATE "C"`) and as UTF-8 bytes on the device,
 * so that both sort, compare and search alike, whatever the database's or the browser's own collation says.
 */
export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC').trim()

/** Input as we keep it: NFC (S-14), without the blanks around it. */
export const tidyText = (text: string): string => text.normalize('NFC').trim()

/** A number as it is meant: full-width figures as plain ones, without blanks and separators of thousands. Else as it was typed. */
export function tidyNumber(text: string): string {
  const plain = text.normalize('NFKC').replaceAll(/\s/g, '')
  const [whole, ...rest] = plain.split('.')
  const joined = /^\d{1,3}(,\d{3})+$/.test(whole ?? '') ? [whole?.replaceAll(',', ''), ...rest].join('.') : plain
  return /^\d+(\.\d+)?$/.test(joined) ? joined : text
}

/** A code as it is meant: full-width letters and figures as plain ones, without the blanks around it. */
export const tidyCode = (text: string): string => text.normalize('NFKC').trim()

/** Figures as people group them (`138 0013 8000`, `(0755) 2600-8888`), full-width ones too, in one piece. Else as it was typed. */
export function tidyFigures(text: string): string {
  const plain = text.normalize('NFKC').replaceAll(/[\s().·/\p{Pd}]/gu, '')
  return /^\d+$/.test(plain) ? plain : text
}

/** A sentence that ends in a name with a full stop of its own, such as "of Acme Ltd.", ends in one. */
export const withOneStop = (text: string): string => text.replaceAll(/([\p{L}\p{N}])\.\.(?=\s|$)/gu, '$1.')

/** No line break or other control character, and none that turns the direction of what stands beside it (F-06). */
export const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u

/** Nothing is drawn for these, or they turn the direction of what stands beside them. U+2800 is a letter without a dot. */
const hidden = /^[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u{FFF9}-\u{FFFB}\u{2800}]$/u

/** Scripts in which a (non-)joiner between two letters changes how they are written. */
const joining =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]$/u
const pictured = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}]$/u
/** What stands before a selector of one of its forms: Chinese characters, pictures, the digits of keycaps, Mongolian letters. */
const varied = /^[\p{Script=Han}\p{Extended_Pictographic}\p{Script=Mongolian}0-9#*]$/u

function isNeeded(before: string, sign: string, after: string): boolean {
  if (sign === '\u200C' || sign === '\u200D')
    return (
      (joining.test(before) && joining.test(after)) ||
      (sign === '\u200D' && pictured.test(before) && pictured.test(after))
    )
  return /^\p{Variation_Selector}$/u.test(sign) && varied.test(before)
}

/**
 * The first character of a name that nobody sees, as `U+200B`; null: there is none. Two names that differ by such a character alone
 * look the same, so they are refused. Joiners and selectors stand where a script or a picture needs them (decision 71).
 */
export function hiddenCharacterIn(text: string): string | null {
  const signs = [...text]
  const found = signs.find((sign, at) => hidden.test(sign) && !isNeeded(signs[at - 1] ?? '', sign, signs[at + 1] ?? ''))
  return found === undefined ? null : codePointOf(found)
}

/** The first character of a text of several lines that turns the direction of what follows, as `U+202E`; null: there is none. */
export function turningCharacterIn(text: string): string | null {
  const [found] = /[\u202A-\u202E\u2066-\u2069]/.exec(text) ?? []
  return found === undefined ? null : codePointOf(found)
}

const codePointOf = (sign: string) => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** What people call a row: its name, else its code; a price list by its day, client type and description. Null: it has none. */
export function nameIn(values: unknown): string | null {
  const { name, code, effective_date: day, type, desc } = (values ?? {}) as Record<string, unknown>
  if (typeof day === 'string' && day !== '')
    return [day, type, desc].filter((part) => typeof part === 'string' && part !== '').join(' · ')
  const said = name ?? code
  return typeof said === 'string' && said !== '' ? said : null
}

/** As the attribute `lang` has it: a name with a Chinese character is Chinese, any other one English. */
export const languageOf = (name: string): 'en' | 'zh-Hans' => (/\p{Script=Han}/u.test(name) ? 'zh-Hans' : 'en')
