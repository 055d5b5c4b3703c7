/**
 * Sort key of text (I-14). The server stores it in a column (`COLLATE "C"`), the device compares it as UTF-8 bytes. So both sort and search
 * alike, independent of the collation of the database or browser.
 */
export const normaliseText = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC').trim()

/** Cleans input for storage: converts to NFC (S-14) and trims. */
export const cleanText = (text: string): string => text.normalize('NFC').trim()

/** Converts full-width digits, removes spaces and separators. Returns other text unchanged. */
export function cleanNumber(text: string): string {
  const plainText = text.normalize('NFKC').replaceAll(/\s/g, '')
  const [integerPart, ...rest] = plainText.split('.')
  const ungrouped = /^\d{1,3}(,\d{3})+$/.test(integerPart ?? '')
    ? [integerPart?.replaceAll(',', ''), ...rest].join('.')
    : plainText
  return /^\d+(\.\d+)?$/.test(ungrouped) ? ungrouped : text
}

/** Converts full-width letters and digits and trims. */
export const cleanCode = (text: string): string => text.normalize('NFKC').trim()

/** Removes the grouping of digits: `138 0013 8000`, `(0755) 2600-8888`. Returns other text unchanged. */
export function cleanDigits(text: string): string {
  const plainText = text.normalize('NFKC').replaceAll(/[\s().·/\p{Pd}]/gu, '')
  return /^\d+$/.test(plainText) ? plainText : text
}

/** Removes the second full stop if a sentence ends with a name such as "Acme Ltd.". */
export const removeDoubleFullStop = (text: string): string => text.replaceAll(/([\p{L}\p{N}])\.\.(?=\s|$)/gu, '$1.')

/** Matches text without line breaks, other control characters, and characters that change the direction of the surrounding text (F-06). */
export const oneLinePattern = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u

/** Invisible characters, and those that change the text direction. U+2800 is an empty Braille pattern. */
const hiddenPattern = /^[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u{FFF9}-\u{FFFB}\u{2800}]$/u

/** Scripts in which a (non-)joiner between two letters changes their shape. */
const joiningPattern =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]$/u
const pictographPattern = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}]$/u
/** Characters before a variation selector: Chinese, pictographs, keycap digits, Mongolian letters. */
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
 * Returns the first hidden character of a name, such as `U+200B`, or null. Names that differ only in such a character look the same, so
 * they are refused. Joiners and selectors are allowed if a script or pictograph needs them (decision 71).
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

/** Returns the first character that changes the direction of the following text, such as `U+202E`, or null. */
export function findBidiControl(text: string): string | null {
  const [bidiControl] = /[\u202A-\u202E\u2066-\u2069]/.exec(text) ?? []
  return bidiControl === undefined ? null : formatCodePoint(bidiControl)
}

const formatCodePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Returns the name or code of a row, or the date, client type and description of a price list. Returns null if the row has no name. */
export function getDisplayName(values: unknown): string | null {
  const { name, code, effective_date: day, type, desc } = (values ?? {}) as Record<string, unknown>
  if (typeof day === 'string' && day !== '')
    return [day, type, desc].filter((part) => typeof part === 'string' && part !== '').join(' · ')
  const displayName = name ?? code
  return typeof displayName === 'string' && displayName !== '' ? displayName : null
}

/** Value of the `lang` attribute: a name with a Chinese character is Chinese, any other is English. */
export const detectLanguage = (name: string): 'en' | 'zh-Hans' => (/\p{Script=Han}/u.test(name) ? 'zh-Hans' : 'en')
