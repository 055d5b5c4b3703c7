/** The names of one noun, as each layer writes it. */
export interface NounNames {
  /** `gift-cards`: its files and folders. */
  file: string
  /** Values: in camel case. */
  plural: string
  singular: string
  /** Types and components: in Pascal case. */
  pluralType: string
  singularType: string
  /** `gift_card`: its table in the database; `gift_cards`: on the device. */
  table: string
  deviceTable: string
  /** `giftcard`: the path of its call and its page. */
  path: string
  /** "gift cards", "gift card": in texts. */
  text: string
  singularText: string
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const toSingular = (word: string) => (word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.slice(0, -1))

/** Throws where the name is not a plural in lower case with hyphens: `vouchers`, `gift-cards`. */
export function toNounNames(name: string): NounNames {
  if (!/^[a-z]+(-[a-z]+)*s$/.test(name))
    throw new Error(`"${name}" is not a name for a list. Give a plural in lower case: vouchers, gift-cards.`)
  const words = name.split('-')
  const singularWords = [...words.slice(0, -1), toSingular(words.at(-1) ?? '')]
  const toType = (parts: string[]) => parts.map(capitalise).join('')
  const toValue = (parts: string[]) => [parts[0], ...parts.slice(1).map(capitalise)].join('')
  return {
    file: name,
    plural: toValue(words),
    singular: toValue(singularWords),
    pluralType: toType(words),
    singularType: toType(singularWords),
    table: singularWords.join('_'),
    deviceTable: words.join('_'),
    path: singularWords.join(''),
    text: words.join(' '),
    singularText: singularWords.join(' '),
  }
}

export { capitalise }
