/** What a page shows where a text is missing: the text's key (`ui/i18n/i18n.ts`). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Texts = { [key: string]: string | Texts }

const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'locales')
const files = (language: string) =>
  readdirSync(join(folder, language)).map(
    (file) => JSON.parse(readFileSync(join(folder, language, file), 'utf8')) as Texts,
  )
const flat = (texts: Texts, before = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[before + key, text]] : flat(text, `${before}${key}.`),
  )
const entries = ['en', 'zh'].flatMap((language) => files(language).flatMap((texts) => flat(texts)))
const words = new Set(entries.map(([, text]) => text))
/** Keys of more than one part: no word of a person or a company is called like one. */
const keys = new Set(entries.map(([key]) => key).filter((key) => key.includes('.') && !words.has(key)))

/** Keys that stand on a page in a text's place, or name something on it. */
export const missingAmong = (texts: readonly string[]): string[] => texts.filter((text) => keys.has(text))
