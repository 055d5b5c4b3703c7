export interface NounNames {
  /** Name of files and folders: `gift-cards`. */
  file: string
  /** Names of values, in camel case. */
  plural: string
  singular: string
  /** Names of types and components, in Pascal case. */
  pluralType: string
  singularType: string
  /** Table in the database: `gift_card`. On the device: `gift_cards`. */
  table: string
  deviceTable: string
  /** Path of its call and its page: `giftcard`. */
  path: string
  /** For English texts: "gift cards", "gift card". */
  text: string
  singularText: string
  /** 礼品卡 */
  chineseText: string
}

export interface NounInput {
  /** `gift-cards` */
  plural: string
  /** `gift-card`; derived from the plural if the rule is certain. */
  singular?: string | undefined
  /** 礼品卡 */
  chinese: string
}

/** Maximum length of a name. PostgreSQL truncates names of more than 63 letters, and index names add to the name of their table. */
const maxNameLength = 40

/** Words of JavaScript that cannot name a value. */
const reservedWords = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static super switch this
  throw true try typeof var void while with yield`.split(/\s+/),
)

/** Plurals whose singular is the word without its -s: `files` and `gift-cards`, but not `boxes` or `series`. */
const safePlural = /[bcdfghjklmnpqrtvwxyz]s$|[bdefgklmnprtuw]es$|[^i]ces$/
const doubtfulPlural = /news$|ics$|lens$/

export const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Throws if the names are not allowed for a list. */
export function toNounNames({ plural, singular = guessSingular(plural), chinese }: NounInput): NounNames {
  for (const name of [plural, singular]) requireName(name)
  if (reservedWords.has(plural)) throw new Error(`"${plural}" is a reserved word of JavaScript: choose another name.`)
  if (!/^[\p{Script=Han}\p{L}\p{N} ]+$/u.test(chinese) || !/\p{Script=Han}/u.test(chinese))
    throw new Error(`"${chinese}" is not a Chinese noun. Use one without punctuation: --zh 优惠券.`)
  const words = plural.split('-')
  const singularWords = singular.split('-')
  const toType = (parts: string[]) => parts.map(capitalise).join('')
  const toValue = ([first = '', ...rest]: string[]) => first + toType(rest)
  return {
    file: plural,
    plural: toValue(words),
    singular: toValue(singularWords),
    pluralType: toType(words),
    singularType: toType(singularWords),
    table: singularWords.join('_'),
    deviceTable: words.join('_'),
    path: singularWords.join(''),
    text: words.join(' '),
    singularText: singularWords.join(' '),
    chineseText: chinese,
  }
}

function requireName(name: string): void {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name))
    throw new Error(`"${name}" is not a name for a list. Use a plural in lower case: vouchers, gift-cards.`)
  if (name.length > maxNameLength)
    throw new Error(`"${name}" is longer than ${maxNameLength} letters: choose a shorter name.`)
}

/** Derives the singular from the plural, or throws if the rule is not certain, because the name is permanent in tables and addresses. */
function guessSingular(plural: string): string {
  if (safePlural.test(plural) && !doubtfulPlural.test(plural)) return plural.slice(0, -1)
  throw new Error(
    `The singular of "${plural}" is not clear. Add it after the plural: npm run new -- list boxes box --zh 箱子.`,
  )
}
