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

export const addTexts = (language: Language, noun: string, texts: Texts) =>
  void i18n.addResourceBundle(language, noun, texts)
export const hasTexts = (language: Language, noun: string) => i18n.hasResourceBundle(language, noun)

export const languageNow = (): Language => (i18n.language === 'zh' ? 'zh' : 'en')
export const showLanguage = (language: Language) => void (language !== i18n.language && i18n.changeLanguage(language))
export function onLanguage(hear: () => void): () => void {
  i18n.on('languageChanged', hear)
  return () => i18n.off('languageChanged', hear)
}

/** The text at a dotted key; null where there is none. */
export function find(noun: string, key: string): string | null {
  const text: unknown = i18n.getResource(languageNow(), noun, key)
  return typeof text === 'string' ? text : null
}

/** In the words of now; the key itself where there is no text. */
export const say = (noun: string, key: string, values: Values = {}): string => i18n.t(key, { ...values, ns: noun })
