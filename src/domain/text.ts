/**
 * The one order of text (I-14): stored beside the column on the server (`COLLATE "C"`) and as UTF-8 bytes on the device,
 * so that both sort, compare and search alike, whatever the database's or the browser's own collation says.
 */
export const normaliseText = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC').trim()

/** Input as we keep it: NFC (S-14), without the blanks around it. */
export const cleanText = (text: string): string => text.normalize('NFC').trim()

/** A number as it is meant: full-width figures as plain ones, without blanks and separators of thousands. Else as it was typed. */
export function cleanNumber(text: string): string {
  const plainText = text.normalize('NFKC').replaceAll(/\s/g, '')
  const [integerPart, ...rest] = plainText.split('.')
  const ungrouped = /^\d{1,3}(,\d{3})+$/.test(integerPart ?? '')
    ? [integerPart?.replaceAll(',', ''), ...rest].join('.')
    : plainText
  return /^\d+(\.\d+)?$/.test(ungrouped) ? ungrouped : text
}

/** A code as it is meant: full-width letters and figures as plain ones, without the blanks around it. */
export const cleanCode = (text: string): string => text.normalize('NFKC').trim()

/** Figures as people group them (`138 0013 8000`, `(0755) 2600-8888`), full-width ones too, in one piece. Else as it was typed. */
export function cleanDigits(text: string): string {
  const plainText = text.normalize('NFKC').replaceAll(/[\s().·/\p{Pd}]/gu, '')
  return /^\d+$/.test(plainText) ? plainText : text
}

/** A sentence that ends in a name with a full stop of its own, such as "of Acme Ltd.", ends in one. */
export const removeDoubleFullStop = (text: string): string => text.replaceAll(/([\p{L}\p{N}])\.\.(?=\s|$)/gu, '$1.')

/** No line break or other control character, and none that turns the direction of what stands beside it (F-06). */
export const oneLinePattern = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u

/** Nothing is drawn for these, or they turn the direction of what stands beside them. U+2800 is a letter without a dot. */
const hiddenPattern = /^[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u{FFF9}-\u{FFFB}\u{2800}]$/u

/** Scripts in which a (non-)joiner between two letters changes how they are written. */
const joiningPattern =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]$/u
const pictographPattern = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}]$/u
/** What stands before a selector of one of its forms: Chinese characters, pictures, the digits of keycaps, Mongolian letters. */
const variedPattern = /^[\p{Script=Han}\p{Extended_Pictographic}\p{Script=Mongolian}0-9#*]$/u

function isNeededCharacter(previous: string, character: string, following: string): boolean {
  if (character === '\u200C' || character === '\u200D')
    return (
      (joiningPattern.test(previous) && joiningPattern.test(following)) ||
      (character === '\u200D' && pictographPattern.test(previous) && pictographPattern.test(following))
    )
  return /^\p{Variation_Selector}$/u.test(character) && variedPattern.test(previous)
}

/**
 * The first character of a name that nobody sees, as `U+200B`; null: there is none. Two names that differ by such a character alone
 * look the same, so they are refused. Joiners and selectors stand where a script or a picture needs them (decision 71).
 */
export function findHiddenCharacter(text: string): string | null {
  const characters = [...text]
  const hiddenCharacter = characters.find(
    (character, index) =>
      hiddenPattern.test(character) &&
      !isNeededCharacter(characters[index - 1] ?? '', character, characters[index + 1] ?? ''),
  )
  return hiddenCharacter === undefined ? null : formatCodePoint(hiddenCharacter)
}

/** The first character of a text of several lines that turns the direction of what follows, as `U+202E`; null: there is none. */
export function findBidiControl(text: string): string | null {
  const [bidiControl] = /[\u202A-\u202E\u2066-\u2069]/.exec(text) ?? []
  return bidiControl === undefined ? null : formatCodePoint(bidiControl)
}

const formatCodePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** What people call a row: its name, else its code; a price list by its day, client type and description. Null: it has none. */
export function getDisplayName(values: unknown): string | null {
  const { name, code, effective_date: day, type, desc } = (values ?? {}) as Record<string, unknown>
  if (typeof day === 'string' && day !== '')
    return [day, type, desc].filter((part) => typeof part === 'string' && part !== '').join(' · ')
  const displayName = name ?? code
  return typeof displayName === 'string' && displayName !== '' ? displayName : null
}

/** As the attribute `lang` has it: a name with a Chinese character is Chinese, any other one English. */
export const detectLanguage = (name: string): 'en' | 'zh-Hans' => (/\p{Script=Han}/u.test(name) ? 'zh-Hans' : 'en')
