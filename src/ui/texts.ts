/**
 * The texts that are here, by language and noun, and which language is shown: i18next, filled by hand as files come in.
 * Which file is needed when is known by whoever draws a page, so that no text is ever looked for in vain (I-01).
 */
import i18next from 'i18next'
import type { Language } from '#domain/users.ts'

export type Texts = { [key: string]: string | Texts }
export type Values = Record<string, unknown>

const i18n = i18next.createInstance()
void i18n.init({
  lng: 'en',
  resources: {},
  initAsync: false,
  // Both languages have every key (tests/house/languages): nobody should fetch a second language for nothing.
  fallbackLng: false,
  // React escapes (I-05).
  interpolation: { escapeValue: false },
  missingInterpolationHandler: () => '',
})

/** By language and noun, as they came. */
const held = new Map<string, Texts>()

/** Texts that somebody wanted to show before they were here, who shows a key in their place. */
const missed = new Set<string>()
/** Counts the times that such texts came after all. */
let late = 0
const hearers = new Set<() => void>()

export function addTexts(language: Language, noun: string, texts: Texts): void {
  const name = `${language} ${noun}`
  held.set(name, texts)
  i18n.addResourceBundle(language, noun, texts)
  if (!missed.delete(name)) return
  late += 1
  for (const hear of hearers) hear()
}
export const hasTexts = (language: Language, noun: string) => held.has(`${language} ${noun}`)

export const languageNow = (): Language => (i18n.language === 'zh' ? 'zh' : 'en')
export const showLanguage = (language: Language) => void (language !== i18n.language && i18n.changeLanguage(language))
export function onLanguage(hear: () => void): () => void {
  i18n.on('languageChanged', hear)
  return () => i18n.off('languageChanged', hear)
}

/** Another value whenever what is said may be said otherwise: in another language, or at last. */
export const wordsNow = () => `${languageNow()} ${late}`
export function onWords(hear: () => void): () => void {
  hearers.add(hear)
  const stop = onLanguage(hear)
  return () => {
    hearers.delete(hear)
    stop()
  }
}

let fetchBy: (nouns: readonly string[]) => Promise<void> = () => Promise.resolve()
/** Where texts come from is the roof's to say. */
export const fetchTextsBy = (way: typeof fetchBy) => void (fetchBy = way)
export const needTexts = (nouns: readonly string[]) => fetchBy(nouns)

/** The text at a dotted key; null where there is none. */
export function find(noun: string, key: string): string | null {
  const name = `${languageNow()} ${noun}`
  let at: string | Texts | undefined = held.get(name)
  if (!at) missed.add(name)
  for (const part of key.split('.')) at = typeof at === 'object' && Object.hasOwn(at, part) ? at[part] : undefined
  return typeof at === 'string' ? at : null
}

/**
 * In the words of now; the key itself where there is no text. What counts is i18next's matter; the rest, in a first
 * drawing a hundred times, only has its values put in.
 */
export function say(noun: string, key: string, values: Values = {}): string {
  const text = find(noun, key)
  if (text === null || 'count' in values) return i18n.t(key, { ...values, ns: noun })
  return text.replaceAll(/{{(\w+)}}/g, (_, name: string) => String(values[name] ?? ''))
}
